import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { type EmbeddingServer, startEmbeddingServer, toVector } from "#test/support/knowledge/embedding-server.ts";
import { startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";

/** Number of documents whose vectors the job computes in three steps. */
const DOCUMENT_COUNT = 48;

/** Response time of a slow provider: two steps exceed the 25 seconds after which a job enqueues another one. */
const SLOW_RESPONSE_MS = 14_000;

describe.runIf(isFullRun)("search by meaning", () => {
  let stateDir: string;
  let upstream: Upstream;
  let provider: EmbeddingServer;
  let service: Switchboard;
  let client: Client;
  const identity = newIdentity();
  let responseMs = 0;
  let pendingRequests = 0;

  /** Starts an instance with the same data, with or without an embedding model. */
  async function restart(model?: string): Promise<void> {
    await service?.stop();
    const embedding = {
      EMBEDDING_PROVIDER: "openai-compatible",
      EMBEDDING_BASE_URL: provider.baseUrl,
      EMBEDDING_ID: model ?? "",
      EMBEDDING_MIN_SIMILARITY: "0.3",
    };
    const env = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl, MODEL_ID: "gpt-4o" };
    service = await startSwitchboard({ stateDir, env: { ...env, ...(model && embedding) } });
    client = new Client(identity, service.baseUrl);
  }

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
    upstream = await startUpstream(streamText(["Certainly."]));
    provider = await startEmbeddingServer(async (texts) => {
      pendingRequests++;
      await sleep(responseMs);
      pendingRequests--;
      return texts.map((text) => toVector(text));
    });
  });

  afterAll(async () => {
    await service?.stop();
    provider?.close();
    await upstream?.stop();
    await rm(stateDir, { recursive: true, force: true });
  });

  const searchTitles = async (query: string, reader = client): Promise<string[]> =>
    (await reader.get(`/v1/knowledge/search?q=${query}`)).body.results.map(({ title }: { title: string }) => title);

  const expectFound = (query: string, title: string) => expect.poll(() => searchTitles(query)).toContain(title);

  it("search by meaning finds passages that were indexed before a model was configured, however long their vectors take", async () => {
    await restart();
    const { collection } = await addIndexedDocument(client, { title: "Car", text: "The garage repairs your car." });
    const addPier = (_: unknown, n: number) =>
      addIndexedDocument(client, { title: `Pier ${n}`, text: `Ships moor at pier ${n}.` }, collection);
    await Promise.all(Array.from({ length: DOCUMENT_COUNT - 1 }, addPier));
    const otherTenant = newIdentity();
    const document = { title: "Doctor", text: "The doctor arrives at noon." };
    const vanishing = await addIndexedDocument(new Client(otherTenant, service.baseUrl), document);
    await restart("model-a");
    responseMs = SLOW_RESPONSE_MS;
    // The first search requests the vectors.
    const other = new Client(otherTenant, service.baseUrl);
    await Promise.all([searchTitles("automobile"), searchTitles("physician", other)]);
    // Both searches and both jobs wait for the provider.
    await expect.poll(() => pendingRequests).toBeGreaterThanOrEqual(4);
    // The job of this tenant waits for the provider, and then finds the passage gone.
    await other.delete(`/v1/knowledge/collections/${vanishing.collection}/documents/${vanishing.document}`);
    await sleep(2 * SLOW_RESPONSE_MS);
    responseMs = 0;
    await expectFound("automobile", "Car");
    expect(await searchTitles("physician", other)).toEqual([]);
  });

  it("search by meaning finds passages for users and for OpenAI clients", async () => {
    const document = { title: "Leave", text: "Employees have thirty days of annual leave." };
    const { collection } = await addIndexedDocument(client, document);
    await expectFound("vacation", "Leave");
    const fields = { name: "Helper", instructions: "", visibility: "public", tier: "THINKING" };
    const persona = await client.post("/v1/personas", { ...fields, collection_ids: [collection] });
    await client.post(`/v1/personas/${persona.body.id}/publish`, { slug: "helper" });
    const scopes = ["chat.completions"];
    const key = await client.post("/v1/tenant/api-keys", { description: "k", scopes }, { "idempotency-key": "k" });
    const question = "How many days of vacation do I have?";
    const bodies = {
      "chat/completions": { messages: [{ role: "user", content: question }] },
      completions: { prompt: question },
      responses: { input: question },
    };
    for (const [path, fields] of Object.entries(bodies)) {
      const response = await fetch(`${service.baseUrl}/openai/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.body.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "helper", ...fields }),
      });
      expect([path, response.status]).toEqual([path, 200]);
      expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain("thirty days of annual leave");
    }
  });

  it("search by meaning computes all vectors again when the model changes", async () => {
    const before = provider.embedded;
    await restart("model-b");
    await expectFound("automobile", "Car");
    await expect.poll(() => provider.embedded - before).toBeGreaterThan(DOCUMENT_COUNT);
  });
});
