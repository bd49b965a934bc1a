import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiResponse, Client, newIdentity, readResponse } from "#test/support/client.ts";
import { createSite, Site } from "#test/support/embed/site.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { checkOut, hasCommit, releaseCommits } from "#test/support/release-checkout.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { hmacHex } from "#test/support/webhooks/channel.ts";

const commit = releaseCommits["0.1.0"];

// biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
type Body = any;

/** Returns the body of a response that must be a success. */
async function succeed(response: Promise<ApiResponse>): Promise<Body> {
  const { status, text, body } = await response;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}

/** Removes what differs between releases although the stored data is the same: addresses that are signed on each request. */
function withoutSignedUrls(body: Body): Body {
  return JSON.parse(JSON.stringify(body, (name, value) => (name === "download_url" ? undefined : value)));
}

describe.runIf(isFullRun)("data of the current version", () => {
  const identity = newIdentity();
  let stateDir: string;
  let directory: string;
  let upstream: Upstream;
  let service: Switchboard | undefined;
  let client: Client;

  async function start(code?: string): Promise<void> {
    await service?.stop();
    const env = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl, MODEL_ID: "gpt-4o" };
    service = await startSwitchboard({ stateDir, env, ...(code && { directory: code }) });
    client = new Client(identity, service.baseUrl);
  }

  beforeAll(async () => {
    if (!hasCommit(commit)) return;
    stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
    directory = checkOut(commit);
    upstream = await startUpstream(streamText(["Certainly."]));
  }, 300_000);

  afterAll(async () => {
    await service?.stop();
    await upstream?.stop();
    for (const path of [stateDir, directory]) if (path) await rm(path, { recursive: true, force: true });
  });

  it("first release reads the data of the current version, as after a rollback to it", { timeout: 300_000 }, async ({
    skip,
  }) => {
    if (!hasCommit(commit)) skip(`the clone does not contain ${commit}`);
    await start();
    const fetchText = async (path: string, init?: RequestInit) =>
      readResponse(await fetch(new URL(path, client.baseUrl), init));
    const post = (path: string, body: object = {}) =>
      succeed(client.post(path, body, { "idempotency-key": randomUUID() }));
    const folder = await post("/v1/folders", { name: "Trips" });
    const conversation = await post("/v1/conversations", { title: "Refunds", folder_id: folder.id });
    const ask = (content: string) => client.chat({ conversation_id: conversation.id, content, tier: "QUICK" });
    const [answered] = await ask("How long does a refund take?");
    const answer = answered?.data.message_id;
    const feedback = await post("/v1/feedback", {
      conversation_id: conversation.id,
      message_id: answer,
      rating: "up",
    });
    const note = await post("/v1/notes", { title: "Packing", body: "Socks", tags: ["trip"] });
    const memory = await post("/v1/memories", { text: "Prefers trains", scope: "user" });
    const template = await post("/v1/templates", { name: "Greeting", body: "Hello {{who}}" });
    const { collection, document } = await addIndexedDocument(client, { title: "Refund", text: "It takes 14 days." });
    const documentPath = `/v1/knowledge/collections/${collection}/documents/${document}`;
    const replacement = { title: "Refund", text: "It takes 15 days." };
    await succeed(client.request("PUT", documentPath, replacement, { "if-match": "*" }));
    await expect.poll(async () => (await client.get(documentPath)).body.indexed_version).toBe(2);
    const persona = await post("/v1/personas", {
      ...{ name: "Helper", instructions: "Be brief.", visibility: "public", tier: "QUICK" },
      collection_ids: [collection],
    });
    await post(`/v1/personas/${persona.id}/publish`, { slug: "helper" });
    const key = await post("/v1/tenant/api-keys", { description: "k", scopes: ["chat.completions", "models.read"] });
    const colleague = await createColleague(client);
    await succeed(shareConversation(client, conversation.id, colleague, "READ"));
    const link = await post(`/v1/chat/${conversation.id}/share-link`, { expires_in: "1h" });
    await post("/v1/groups", { name: "Harbor" });
    const role = await post("/v1/roles", { name: "Reader", permissions: ["knowledge.create"] });
    const channel = await post("/v1/webhooks/register", { channel_id: "alerts", conversation_id: conversation.id });
    await setPolicy(client, { banner: { text: "Hello", level: "info" }, retention: { conversation_days: 30 } });
    const approval = await post("/v1/approvals", {
      type: "tool_execution",
      action: { operation: "launch", params: {} },
    });
    const exported = (await post("/v1/exports")).export;
    const site = await createSite(client, { persona: {} });
    const session = await site.createSession();
    await site.chat(session, "Hello");
    const exportPath = `/v1/exports/${exported.id}`;
    await expect.poll(async () => (await client.get(exportPath)).body.status).toBe("ready");

    const collectionPath = `/v1/knowledge/collections/${collection}`;
    const paths = [
      "/v1/conversations",
      `/v1/conversations/${conversation.id}`,
      `/v1/conversations/${conversation.id}/messages`,
      "/v1/folders",
      `/v1/folders/${folder.id}`,
      "/v1/feedback",
      `/v1/feedback/${feedback.id}`,
      "/v1/notes",
      `/v1/notes/${note.id}`,
      "/v1/memories",
      `/v1/memories/${memory.id}`,
      `/v1/templates/${template.id}`,
      "/v1/personas",
      `/v1/personas/${persona.id}`,
      "/v1/knowledge/collections",
      collectionPath,
      `${collectionPath}/documents`,
      documentPath,
      "/v1/tenant/api-keys",
      "/v1/tenant/embed-keys",
      `/v1/chat/${conversation.id}/share`,
      `/v1/chat/${conversation.id}/share-link`,
      "/v1/groups",
      "/v1/webhooks",
      "/v1/policy",
      "/v1/approvals",
      `/v1/approvals/${approval.id}`,
      "/v1/exports",
      exportPath,
      "/v1/audit-events?limit=100",
    ];
    const stored = new Map<string, Body>();
    for (const path of paths) stored.set(path, await succeed(client.get(path)));

    await start(directory);
    for (const path of paths) {
      const { status, text, body } = await client.get(path);
      expect([path, status, text]).toEqual([path, 200, expect.any(String)]);
      expect(stored.get(path)).toMatchObject(withoutSignedUrls(body));
    }
    const { templates, roles } = {
      ...(await client.get("/v1/templates")).body,
      ...(await client.get("/v1/roles")).body,
    };
    expect(templates).toContainEqual(expect.objectContaining({ id: template.id, body: "Hello {{who}}" }));
    expect(roles).toContainEqual(expect.objectContaining(role));
    const hits = (await client.get("/v1/knowledge/search?q=refund")).body.results;
    expect(hits[0]).toMatchObject({ document_id: document, snippet: replacement.text });
    expect((await client.get("/v1/audit-events/verify")).body).toMatchObject({ valid: true });
    const { download_url } = (await client.get(exportPath)).body;
    expect(await (await fetch(new URL(download_url, client.baseUrl))).text()).toContain("How long does a refund take?");

    // Credentials and links that the current version issued are still valid.
    expect((await fetchText(new URL(link.url, client.baseUrl).pathname)).text).toContain(
      "How long does a refund take?",
    );
    const rolledBackSite = new Site(client.baseUrl, site.origin, site.key);
    expect((await rolledBackSite.getSession(session)).body.messages).toHaveLength(2);
    expect((await rolledBackSite.chat(session, "More")).at(-1)?.event).toBe("done");
    const headers = { authorization: `Bearer ${key.key}`, "content-type": "application/json" };
    const question = { model: "helper", messages: [{ role: "user", content: "How long does a refund take?" }] };
    const body = JSON.stringify(question);
    const completion = await fetchText("/openai/v1/chat/completions", { method: "POST", headers, body });
    expect(completion.body.choices[0].message.content).toBe("Certainly.");
    const alert = JSON.stringify({ severity: "high", description: "Disk full", alert_id: randomUUID() });
    const signature = hmacHex(channel.secret, alert);
    const alertHeaders = { "content-type": "application/json", "x-webhook-provider": "custom" };
    const delivery = { method: "POST", headers: { ...alertHeaders, "x-webhook-signature": signature }, body: alert };
    expect((await fetchText("/v1/webhooks/alerts", delivery)).status).toBe(200);
    expect((await ask("More?")).at(-1)?.event).toBe("done");

    // Data that the first release has stored since the rollback is read after the next update.
    await start();
    const { messages } = (await client.get(`/v1/conversations/${conversation.id}/messages`)).body;
    expect(messages.filter(({ role }: { role: string }) => role === "assistant").length).toBeGreaterThanOrEqual(2);
    expect((await client.get("/v1/audit-events/verify")).body).toMatchObject({ valid: true });
  });
});
