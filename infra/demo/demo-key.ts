import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { handbook, persona } from "./shop-knowledge.ts";

/** The key of the demo, as it is kept between two starts. */
interface KeptKey {
  readonly id: string;
  readonly key: string;
}

interface DemoOptions {
  readonly baseUrl: string;
  readonly stateDir: string;
  /** Where the shop listens. */
  readonly port: number;
}

/** A request as the administrator that everybody is in local mode. */
async function request(baseUrl: string, method: string, path: string, body?: object): Promise<Response> {
  return fetch(baseUrl + path, {
    method,
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
}

/** The answer to a request. @throws Error with the service's reason where it refused */
async function ask<Answer>(baseUrl: string, method: string, path: string, body?: object): Promise<Answer> {
  const response = await request(baseUrl, method, path, body);
  if (response.status === 401) throw new Error("it is made for AUTH_PROVIDER=local.");
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.json() as Promise<Answer>;
}

async function keptKey(file: string): Promise<KeptKey | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return null;
  }
}

/** A collection with what the shop's assistant knows; there from an earlier start, or made now. */
async function collection(baseUrl: string): Promise<string> {
  type Collections = { collections: { id: string; name: string }[] };
  const { collections } = await ask<Collections>(baseUrl, "GET", "/v1/knowledge/collections?limit=100");
  const { title, text, ...fields } = handbook;
  const known = collections.find(({ name }) => name === fields.name);
  if (known) return known.id;
  const { id } = await ask<{ id: string }>(baseUrl, "POST", "/v1/knowledge/collections", fields);
  const documents = `/v1/knowledge/collections/${id}/documents`;
  const document = await ask<{ id: string }>(baseUrl, "POST", documents, { title, text, media_type: "text/markdown" });
  // The first question should find it already. Each look counts for the tenant, which is also who tries the service.
  for (let look = 0; look < 20; look++) {
    const { status } = await ask<{ status: string }>(baseUrl, "GET", `${documents}/${document.id}`);
    if (status !== "indexing") break;
    await sleep(500);
  }
  return id;
}

async function newKey(baseUrl: string, allowed_origins: readonly string[]): Promise<KeptKey> {
  const collection_ids = [await collection(baseUrl)];
  const { id } = await ask<{ id: string }>(baseUrl, "POST", "/v1/personas", { ...persona, collection_ids });
  const site = { name: "Demo shop", persona_id: id, allowed_origins };
  return ask<KeptKey>(baseUrl, "POST", "/v1/tenant/embed-keys", site);
}

/** An embed key for the demo, made on the first start and kept; it follows the shop to another port. */
export async function demoKey({ baseUrl, stateDir, port }: DemoOptions): Promise<string> {
  const file = join(stateDir, "demo.json");
  const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  const kept = await keptKey(file);
  if (kept) {
    const allowed = { allowed_origins: origins };
    const response = await request(baseUrl, "PATCH", `/v1/tenant/embed-keys/${kept.id}`, allowed);
    if (response.ok) return kept.key;
  }
  const { id, key } = await newKey(baseUrl, origins);
  await writeFile(file, JSON.stringify({ id, key }));
  return key;
}
