import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";
import { Operator, readDeploymentKey } from "#test/support/tenancy/deployment-key.ts";
import { createKeyClient, KeyClient } from "#test/support/tenancy/key-client.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

/** Returns the text of a stream, which the service may cut off. */
async function readUntilCut({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of body ?? []) text += decoder.decode(bytes, { stream: true });
  } catch {
    // A completion that ends with an error is cut off.
  }
  return text;
}

describe("suspended tenant", () => {
  const clock = createMovableClock();
  let proxy: TableProxy;
  let service: ScriptedService;
  beforeAll(async () => {
    proxy = await startTableProxy();
    const env = { DYNAMODB_ENDPOINT: proxy.endpoint, LOCAL_WORKERS: "150" };
    service = await startScriptedService({ env, nodeOptions: [clock.nodeOption] });
  });
  afterAll(async () => {
    await service?.stop();
    await proxy?.stop();
  });

  it("suspended tenant is refused with every credential within 30 seconds and served again afterwards, without effect on other tenants", async () => {
    const [admin, other] = [new Client(newIdentity(), service.baseUrl), new Client(newIdentity(), service.baseUrl)];
    const operator = new Operator(readDeploymentKey(service), service.baseUrl);
    const suspend = async (suspended: boolean) => {
      const { status } = await operator.patch(`/v1/admin/tenants/${admin.identity.tenant}`, { suspended });
      expect(status).toBe(200);
      clock.advance(30_000);
    };
    const scopes = ["users.act_as", "chat.completions", "models.read"];
    const key = await createKeyClient(admin, { preset: "administrator", scopes });
    const exchange = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: "alice",
      subject_token_type: "urn:switchboard:token-type:user-id",
    };
    const page = new KeyClient(admin, key.keyId, (await key.post("/v1/tokens", exchange)).body.access_token);
    const { body: created } = await admin.post("/v1/personas", { name: "Guide", visibility: "public" });
    const { body: persona } = await admin.post(`/v1/personas/${created.id}/publish`, {
      slug: `guide-${randomUUID().slice(0, 8)}`,
    });
    const site = { name: "Site", persona_id: persona.id, allowed_origins: ["https://www.example.com"] };
    const { body: embedKey } = await admin.post("/v1/tenant/embed-keys", site);
    const embed = { "x-embed-key": embedKey.key, origin: "https://www.example.com" };
    const { body: session } = await admin.post("/v1/embed/sessions", {}, { ...embed, "idempotency-key": "s" });
    const channel = await createChannel({}, admin);
    const conversation = await admin.createConversation();
    const { body: link } = await admin.post(`/v1/chat/${conversation}/share-link`, { expires_in: "1h" });
    const question = { conversation_id: conversation, content: "Hello", tier: "QUICK" };
    const shared = new URL(link.url, service.baseUrl).pathname;
    const attempts: Readonly<Record<string, () => Promise<{ status: number }>>> = {
      token: () => admin.get("/v1/me"),
      stream: () => admin.post("/v1/runtime/chat", question),
      key: () => key.get("/v1/me"),
      onBehalf: () => key.onBehalfOf("alice").get("/v1/me"),
      accessToken: () => page.get("/v1/me"),
      openai: () => key.get("/openai/v1/models"),
      openaiStream: () =>
        key.post("/openai/v1/chat/completions", { model: "x", messages: [{ role: "user", content: "Hi" }] }),
      widget: () => admin.get("/v1/embed/config", embed),
      widgetStream: () => admin.post(`/v1/embed/sessions/${session.id}/messages`, { content: "Hi" }, embed),
      mcp: () => key.post("/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }),
      webhook: () => {
        const raw = JSON.stringify({ text: `Down ${randomUUID()}` });
        const signature = hmacHex(String(channel.registration.secret), raw);
        return channel.post(raw, { "content-type": "application/json", "x-webhook-signature": signature });
      },
      sharedLink: () => fetch(service.baseUrl + shared, { headers: { accept: "application/json" } }),
    };
    const statuses = async () =>
      Object.fromEntries(
        await Promise.all(Object.entries(attempts).map(async ([name, attempt]) => [name, (await attempt()).status])),
      );
    const before = await statuses();
    expect(before).toMatchObject({
      token: 200,
      stream: 200,
      key: 200,
      accessToken: 200,
      openai: 200,
      mcp: 200,
      webhook: 200,
      widget: 200,
      sharedLink: 200,
    });
    // The scripted model answers slow questions for two minutes.
    service.upstream.script = streamText(Array(240).fill("word "), { pauseMs: 500 });
    const open = (path: string, body: object, headers: Record<string, string>) =>
      fetch(service.baseUrl + path, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
        body: JSON.stringify(body),
      });
    const slow = { model: persona.endpoint.slug, messages: [{ role: "user", content: "Count" }], stream: true };
    const streams = await Promise.all([
      open("/v1/runtime/chat", { ...question, content: "Count" }, admin.headers),
      open(`/v1/embed/sessions/${session.id}/messages`, { content: "Count" }, embed),
      open("/openai/v1/chat/completions", slow, key.headers),
    ]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const received = streams.map(readUntilCut);
    await suspend(true);
    const refused = Object.fromEntries(Object.keys(attempts).map((name) => [name, 403]));
    await expect.poll(statuses, { interval: 1_000 }).toEqual(refused);
    const [chat, widget, completion] = await Promise.all(received);
    for (const text of [chat, widget]) {
      expect(text).toContain("event: token_expired\n");
      expect(text).not.toContain("event: done\n");
    }
    expect(completion).toContain("is suspended");
    expect(completion).not.toContain("[DONE]");
    service.upstream.script = streamText(["Hello"]);
    const wrong: unknown[] = [];
    const credentials: Partial<Record<Route["auth"], Record<string, string>>> = {
      jwt: admin.headers,
      "api-key": key.headers,
      "embed-key": embed,
    };
    const called = routes.filter(({ auth }, index) => auth in credentials && (isFullRun || index % 6 === 0));
    await mapConcurrent(called, async (route) => {
      const path = route.path.replace(/\{\w+\+?\}/g, randomUUID());
      const headers = {
        ...credentials[route.auth],
        "idempotency-key": randomUUID(),
        "content-type": "application/json",
      };
      const body = route.body && "{}";
      const { status } = await fetch(service.baseUrl + path, { method: route.method, headers, ...(body && { body }) });
      if (status !== 403) wrong.push([route.id, status]);
    });
    expect(wrong).toEqual([]);
    expect((await other.get("/v1/me")).status).toBe(200);
    await suspend(false);
    await expect.poll(statuses, { interval: 1_000 }).toEqual({ ...before, widgetStream: expect.any(Number) });
  });
});
