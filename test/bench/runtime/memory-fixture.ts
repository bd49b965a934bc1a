import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client, newIdentity } from "../../support/client.ts";
import { createSite } from "../../support/embed/site.ts";
import { newSigningKey, startIdentityProvider } from "../../support/identity-provider.ts";
import { addIndexedDocument } from "../../support/knowledge/add-indexed-document.ts";
import { seededRandom, topicalTexts } from "../../support/knowledge/synthetic-text.ts";
import {
  chunk,
  jsonResponse,
  type Script,
  startEventStream,
  startUpstream,
  type Upstream,
} from "../../support/models/upstream.ts";
import { startSwitchboard } from "../../support/switchboard.ts";
import { startTableProxy } from "../../support/tables/table-proxy.ts";
import { ORIGIN_SECRET } from "./events.ts";
import { createCertificate, startTlsServer } from "./tls-server.ts";

/** Documents of the tenant, and words of each. */
const [documentCount, wordsPerDocument] = [10, 800];

const EMBEDDING_DIMENSIONS = 256;

/**
 * Streams tokens within a time; as fast as possible by default. Requests for embeddings get random ones, and requests without
 * a stream, such as those that plan searches, a short answer.
 */
export function streamTokens(tokens: readonly string[], durationMs = 0): Script {
  return async (response, request) => {
    if (request.path.endsWith("/embeddings")) return sendEmbeddings(response, request);
    if (request.body.stream !== true) return jsonResponse(shortCompletion)(response, request);
    startEventStream(response);
    const startedAt = performance.now();
    for (const [index, content] of tokens.entries()) {
      const waitMs = startedAt + (index * durationMs) / tokens.length - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      response.write(chunk({ content }));
    }
    response.end(`${chunk({}, { finish_reason: "stop" })}data: [DONE]\n\n`);
  };
}

const shortCompletion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "The last order." }, finish_reason: "stop" }],
};

const sendEmbeddings: Script = async (response, { body }) => {
  const data = [body.input].flat().map((_, index) => {
    const embedding = Array.from({ length: EMBEDDING_DIMENSIONS }, () => Math.random() - 0.5);
    return { object: "embedding", index, embedding };
  });
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ object: "list", data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
};

/** Tenant with documents, long conversations and credentials, and the servers that its requests need. */
export interface MemoryFixture {
  readonly upstream: Upstream;
  /** Values of environment variables with which the functions reach the servers. */
  readonly variables: Readonly<Record<string, string>>;
  readonly token: string;
  readonly apiKey: string;
  /** Slug of a published persona. */
  readonly model: string;
  readonly site: { readonly key: string; readonly origin: string };
  /** Creates a conversation whose history is as long as a prompt can contain. */
  createLongConversation(): Promise<string>;
  createSession(): Promise<string>;
  /** Returns a question about one of the documents. */
  createQuestion(): string;
  stop(): Promise<void>;
}

/** Returns the application secret that an instance has generated. */
async function readAppSecret(stateDir: string): Promise<string> {
  const values = Object.entries(JSON.parse(await readFile(join(stateDir, "secrets.json"), "utf8")) as object);
  return String(values.find(([name]) => name.includes("AppSecret"))?.[1]);
}

/** Starts a local instance and creates the data with it. */
export async function createMemoryFixture(): Promise<MemoryFixture> {
  const upstream = await startUpstream(streamTokens(["Yes."]));
  const identityProvider = await startIdentityProvider([await newSigningKey("k")]);
  const table = await startTableProxy();
  const embeddings = { EMBEDDING_PROVIDER: "openai-compatible", EMBEDDING_ID: "embedder" };
  const dimensions = { EMBEDDING_DIMENSIONS: String(EMBEDDING_DIMENSIONS) };
  const model = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl, MODEL_ID: "gpt-4o" };
  const settings = { ...model, ...embeddings, ...dimensions, EMBEDDING_BASE_URL: upstream.baseUrl };
  const service = await startSwitchboard({ env: { ...settings, DYNAMODB_ENDPOINT: table.serverEndpoint } });
  const identity = newIdentity();
  const client = new Client(identity, service.baseUrl);
  const { randomTopic, textAbout } = topicalTexts(seededRandom(7));
  const collections = await client.post("/v1/knowledge/collections", { name: "All", readers: ["tenant"] });
  await mapConcurrent(
    Array.from({ length: documentCount }, () => randomTopic()),
    (topic) => {
      const document = { title: textAbout(topic, 6), text: textAbout(topic, wordsPerDocument) };
      return addIndexedDocument(client, document, collections.body.id);
    },
    8,
  );
  const persona = { name: "Helper", instructions: "Be brief.", visibility: "public", tier: "QUICK" };
  const { body: created } = await client.post("/v1/personas", persona);
  await client.post(`/v1/personas/${created.id}/publish`, { slug: "helper" });
  const key = { description: "memory", scopes: ["chat.completions"] };
  const { body: apiKey } = await client.post("/v1/tenant/api-keys", key, { "idempotency-key": "memory" });
  const site = await createSite(client, { persona: {} });
  const certificate = createCertificate();
  const modelUrl = await startTlsServer(upstream.baseUrl, certificate);
  return {
    upstream,
    apiKey: apiKey.key,
    model: "helper",
    site: { key: site.key.key, origin: site.origin },
    token: await identityProvider.token({ ...identity, roles: ["admin"] }),
    variables: {
      ...settings,
      ...identityProvider.env,
      JWT_JWKS_URL: await startTlsServer(identityProvider.jwksUrl, certificate),
      MODEL_BASE_URL: modelUrl,
      EMBEDDING_BASE_URL: modelUrl,
      AWS_ENDPOINT_URL: await startTlsServer(table.serverEndpoint, certificate),
      NODE_EXTRA_CA_CERTS: certificate.certFile,
      TABLE_NAME: "switchboard-local-table",
      APP_SECRET: await readAppSecret(service.stateDir),
      ORIGIN_SECRET,
    },
    async createLongConversation() {
      const conversation_id = await client.createConversation();
      for (let turn = 0; turn < 2; turn++) {
        await client.chat({ conversation_id, content: textAbout(randomTopic(), 3_500), tier: "QUICK" });
      }
      return conversation_id;
    },
    createSession: () => site.createSession(),
    createQuestion: () => textAbout(randomTopic(), 8),
    async stop() {
      await service.stop();
      await table.stop();
      await identityProvider.stop();
      await upstream.stop();
    },
  };
}
