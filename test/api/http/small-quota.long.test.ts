import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSwitchboard } from "#shared/client/index.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { sized } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

/** Concurrency quota of a new account. */
const QUOTA = 10;

const [PEOPLE, TURNS, DOCUMENTS, ALERTS] = sized({ usual: [12, 2, 4, 6], full: [24, 3, 12, 20] });

describe("account with a quota of ten invocations", () => {
  let service: ScriptedService;
  beforeAll(async () => {
    service = await startScriptedService({ env: { LOCAL_CONCURRENCY: String(QUOTA) } });
    service.upstream.script = streamText(["All ", "is ", "well."], { pauseMs: 300 });
  });
  afterAll(() => service?.stop());

  it("account with a quota of ten Lambda invocations makes excess concurrent chats, files and alerts wait, and loses none", async () => {
    const identity = newIdentity();
    let refusals = 0;
    const api = createSwitchboard({
      baseUrl: service.baseUrl,
      headers: { "x-tenant-id": identity.tenant, "x-user-id": identity.user, "x-user-roles": "admin" },
      maxRetries: 30,
      fetch: async (request) => {
        const response = await fetch(request);
        if ([429, 503].includes(response.status)) refusals++;
        return response;
      },
    });
    await api.GET("/v1/me");
    const client = new Client(identity, service.baseUrl);
    const channel = await createChannel({}, client);
    const collection = await api.POST("/v1/knowledge/collections", { body: { name: "Harbor" } });

    const converse = async () => {
      const { id } = await api.POST("/v1/conversations", { body: { title: "Calls" } });
      for (let turn = 0; turn < TURNS; turn++) {
        const events = await Array.fromAsync(
          api.chat({ conversation_id: id, content: `Question ${turn}`, tier: "QUICK" }),
        );
        expect(events.at(-1)?.type).toBe("done");
      }
      const { messages } = await api.GET("/v1/conversations/{id}/messages", { params: { path: { id } } });
      return messages.map(({ role, status }) => `${role} ${status}`).toSorted();
    };
    const upload = (index: number) =>
      api.POST("/v1/knowledge/collections/{id}/documents", {
        params: { path: { id: collection.id } },
        body: { title: `Document ${index}`, text: `Pier ${index} opens at nine.` },
      });
    // Monitoring tools repeat a delivery that was not accepted.
    const alert = async (index: number) => {
      const body = JSON.stringify({ severity: "high", description: `Pier ${index} is closed`, alert_id: `a${index}` });
      const headers = {
        "content-type": "application/json",
        "x-webhook-provider": "custom",
        "x-webhook-signature": hmacHex(channel.registration.secret ?? "", body),
      };
      await expect.poll(async () => (await channel.post(body, headers)).status).toBeLessThan(300);
    };
    const range = (count: number) => Array.from({ length: count }, (_, index) => index);
    const [conversations] = await Promise.all([
      Promise.all(range(PEOPLE).map(converse)),
      Promise.all(range(DOCUMENTS).map(upload)),
      Promise.all(range(ALERTS).map(alert)),
    ]);

    expect(refusals).toBeGreaterThan(0);
    const turns = range(TURNS);
    const expected = [...turns.map(() => "assistant complete"), ...turns.map(() => "user complete")];
    expect(conversations).toEqual(range(PEOPLE).map(() => expected));
    const stored = async () => {
      const params = { path: { id: collection.id } };
      const { documents } = await api.GET("/v1/knowledge/collections/{id}/documents", { params });
      return documents.filter(({ status }) => status === "ready").length;
    };
    await expect.poll(stored).toBe(DOCUMENTS);
    expect(await channel.messages()).toHaveLength(ALERTS);
    const answers = async () => (await api.GET("/v1/usage")).totals.requests;
    await expect.poll(answers).toBe(PEOPLE * TURNS);
  });
});
