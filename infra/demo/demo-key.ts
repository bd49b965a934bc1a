import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { handbook, persona } from "./shop-knowledge.ts";

/** Embed key of the demo in the state directory, so that it survives a restart. */
interface StoredKey {
  readonly id: string;
  readonly key: string;
}

interface DemoOptions {
  readonly baseUrl: string;
  readonly stateDir: string;
  /** Port of the demo shop. */
  readonly port: number;
}

/**
 * Headers that identify the demo's user in local mode. The demo has its own tenant, so that its documents do not answer the
 * developer's questions.
 */
const identity = { "x-tenant-id": "demo-shop", "x-user-id": "shop-owner", "x-user-roles": "admin" };

/** Sends a request as the administrator of the demo's tenant. */
async function request(baseUrl: string, method: string, path: string, body?: object): Promise<Response> {
  const headers = { ...identity, ...(body && { "content-type": "application/json" }) };
  return fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

/**
 * Sends a request and parses the response.
 * @throws Error with the response body for an error status
 */
async function requestJson<Output>(baseUrl: string, method: string, path: string, body?: object): Promise<Output> {
  const response = await request(baseUrl, method, path, body);
  if (response.status === 401) throw new Error("it requires AUTH_PROVIDER=local.");
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.json() as Promise<Output>;
}

async function readStoredKey(file: string): Promise<StoredKey | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return null;
  }
}

/** Returns the knowledge collection of the shop's assistant. Creates it on the first start. */
async function ensureCollection(baseUrl: string): Promise<string> {
  type Collections = { collections: { id: string; name: string }[] };
  const { collections } = await requestJson<Collections>(baseUrl, "GET", "/v1/knowledge/collections?limit=100");
  const { title, text, ...fields } = handbook;
  const existing = collections.find(({ name }) => name === fields.name);
  if (existing) return existing.id;
  const { id } = await requestJson<{ id: string }>(baseUrl, "POST", "/v1/knowledge/collections", fields);
  const documents = `/v1/knowledge/collections/${id}/documents`;
  const document = await requestJson<{ id: string }>(baseUrl, "POST", documents, {
    title,
    text,
    media_type: "text/markdown",
  });
  // Wait until the document is indexed, so that the first question finds it. Polls are limited, because they count toward the
  // tenant's rate limit.
  for (let attempt = 0; attempt < 20; attempt++) {
    const { status } = await requestJson<{ status: string }>(baseUrl, "GET", `${documents}/${document.id}`);
    if (status !== "indexing") break;
    await sleep(500);
  }
  return id;
}

async function createKey(baseUrl: string, allowed_origins: readonly string[]): Promise<StoredKey> {
  const collection_ids = [await ensureCollection(baseUrl)];
  const { id } = await requestJson<{ id: string }>(baseUrl, "POST", "/v1/personas", { ...persona, collection_ids });
  const site = { name: "Demo shop", persona_id: id, allowed_origins };
  return requestJson<StoredKey>(baseUrl, "POST", "/v1/tenant/embed-keys", site);
}

/** Returns the embed key of the demo. Creates it on the first start, and updates its allowed origins to the current port. */
export async function ensureDemoKey({ baseUrl, stateDir, port }: DemoOptions): Promise<string> {
  const file = join(stateDir, "demo.json");
  const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  const stored = await readStoredKey(file);
  if (stored) {
    const allowed = { allowed_origins: origins };
    const response = await request(baseUrl, "PATCH", `/v1/tenant/embed-keys/${stored.id}`, allowed);
    if (response.ok) return stored.key;
  }
  const { id, key } = await createKey(baseUrl, origins);
  await writeFile(file, JSON.stringify({ id, key }));
  return key;
}
