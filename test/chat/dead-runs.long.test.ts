import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { indexKeys, keyPrefixes, keys } from "#shared/dynamodb/keys.ts";
import type { Item, Table } from "#shared/dynamodb/table.ts";
import { Client, newIdentity, readFrames } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";
import { decideApproval } from "#test/support/governance/approvals.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { searchThenCreateNote } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { openInstanceTable } from "#test/support/tables/instance-table.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

/** Time since the last sign of life of a dead run. */
const SILENCE_MS = 30_000;

describe.runIf(isFullRun)("run whose function died", () => {
  let proxy: TableProxy;
  let service: ScriptedService;
  let table: Table;
  let client: Client;
  let site: Site;
  const identity = newIdentity();
  const { tenant } = identity;

  beforeAll(async () => {
    proxy = await startTableProxy();
    const script = searchThenCreateNote("harbor", "Note");
    service = await startScriptedService({ script, env: { DYNAMODB_ENDPOINT: proxy.endpoint } });
    table = openInstanceTable(proxy);
    client = new Client(identity, service.baseUrl);
    site = await createSite(client, { persona: {} });
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    await service?.stop();
    await proxy?.stop();
  });

  const listRun = (messageId: string) => table.query({ pk: keys.run(tenant, messageId).pk, consistent: true });

  async function findRun(messageId: string): Promise<Item> {
    const run = (await listRun(messageId)).find(({ sk }) => sk === "run");
    if (!run) throw new Error(`Expected the run ${messageId}`);
    return run;
  }

  /** Turns a finished run into one whose function died before it logged anything, with an approval that has expired. */
  async function kill(messageId: string): Promise<void> {
    const run = await findRun(messageId);
    const log = (await listRun(messageId)).filter(({ sk }) => sk.startsWith(keyPrefixes.runLog));
    await table.deleteMany([...log, keys.message(tenant, String(run.conversation_id), messageId)]);
    const diedAtMs = Date.now() - SILENCE_MS;
    const signals = { alive_at: diedAtMs, waits_until: diedAtMs };
    await table.write({ put: { ...run, created_at: new Date(diedAtMs).toISOString() } });
    await table.write({ put: { ...keys.runControl(tenant, messageId), discriminator: "run-control", ...signals } });
  }

  /**
   * Deletes the conversation of a run, but not its contents, as if the stream processor was late: it ignores changes of run
   * logs.
   */
  async function deleteConversation(messageId: string): Promise<void> {
    const key = keys.conversation(tenant, String((await findRun(messageId)).conversation_id));
    await table.write({ update: key, set: { discriminator: "run-log" } });
    await table.write({ delete: key });
  }

  const expectNoItems = (messageId: string) => expect.poll(() => listRun(messageId), { interval: 200 }).toEqual([]);

  async function expectInterrupted(response: Response): Promise<void> {
    expect((await Array.fromAsync(readFrames(response))).at(-1)?.event).toBe("interrupted");
  }

  /** Sends a message of a user and returns its response again on each call. */
  async function startDeadRun() {
    const conversation_id = await client.createConversation();
    const body = { conversation_id, content: "Hello", tier: "QUICK" };
    const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
    const send = () => client.fetch("/v1/runtime/chat", { method: "POST", headers, body: JSON.stringify(body) });
    const [first] = await Array.fromAsync(readFrames(await send()));
    const id = String(first?.data.message_id);
    await kill(id);
    return { id, conversation_id, send };
  }

  /** Sends a message of a visitor and returns its response again on each call. */
  async function startDeadVisitorRun() {
    const session = await site.createSession();
    const headers = { "idempotency-key": randomUUID() };
    const send = () => site.sendMessage(session, "Hello", headers);
    const [first] = await Array.fromAsync(readFrames(await send()));
    const id = String(first?.data.message_id);
    await kill(id);
    return { id, send, path: `/v1/embed/sessions/${session}/messages/${id}` };
  }

  /** Starts a run that waits for an approval. */
  async function startPausedRun() {
    const conversation_id = await client.createConversation();
    const body = JSON.stringify({ conversation_id, content: "What is a harbor?", tier: "THOUGHT_PARTNER" });
    const headers = { "content-type": "application/json" };
    const response = await client.fetch("/v1/runtime/chat", { method: "POST", headers, body });
    for await (const { id = "", data } of readFrames(response)) {
      if (data.approval_id) return { id: id.split(":")[0] ?? "", approval: String(data.approval_id) };
    }
    throw new Error("The run did not wait for an approval");
  }

  it("run whose function died is ended by a client that follows its stream or repeats the request", async () => {
    const [followed, repeated] = [await startDeadRun(), await startDeadRun()];
    const visitorRun = await startDeadVisitorRun();
    const responses = await Promise.all([
      client.fetch(`/v1/runtime/chat/${followed.id}/stream`),
      repeated.send(),
      site.fetch("GET", `${visitorRun.path}/stream`),
    ]);
    await Promise.all(responses.map(expectInterrupted));
  });

  it("run whose function died repeats its final event for a client that may have missed it, and returns 204 to an EventSource that reconnects after the end", async () => {
    const [run, visitorRun] = [await startDeadRun(), await startDeadVisitorRun()];
    const resumes = [
      (headers = {}) => client.fetch(`/v1/runtime/chat/${run.id}/stream`, { headers }),
      (headers = {}) => site.fetch("GET", `${visitorRun.path}/stream`, undefined, headers),
    ];
    for (const resume of resumes) {
      const end = (await Array.fromAsync(readFrames(await resume()))).at(-1);
      expect([end?.event, end?.id]).toEqual(["interrupted", expect.stringMatching(/:1:end$/)]);
      const position = String(end?.id).replace(":end", "");
      await expectInterrupted(await resume({ "last-event-id": position }));
      expect((await resume({ "last-event-id": String(end?.id) })).status).toBe(204);
      expect((await resume({ "last-event-id": `${position}2:end` })).status).toBe(400);
    }
  });

  it("run whose function died is removed by a client that follows it when its conversation was deleted", async () => {
    const run = await startDeadRun();
    const [followed, repeated] = [await startDeadVisitorRun(), await startDeadVisitorRun()];
    const responses = await Promise.all([
      client.fetch(`/v1/runtime/chat/${run.id}/stream`),
      site.fetch("GET", `${followed.path}/stream`),
      repeated.send(),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ids = [run, followed, repeated].map(({ id }) => id);
    await Promise.all(ids.map(deleteConversation));
    await Promise.all(ids.map(expectNoItems));
    for (const { body } of responses) await body?.cancel();
  });

  it("run whose function died is ended by the watchdog, which also records the activity that the function could not record", async () => {
    const [run, orphan] = [await startDeadRun(), await startDeadRun()];
    await deleteConversation(orphan.id);
    const activity = new Date(Date.now() - 3_600_000).toISOString();
    const conversation = keys.conversation(tenant, run.conversation_id);
    const { gsi1sk } = indexKeys.conversationByActivity(tenant, identity.user, activity);
    await table.write({ update: conversation, set: { last_activity_at: activity, gsi1sk } });
    await expectNoItems(orphan.id);
    const path = `/v1/conversations/${run.conversation_id}/messages`;
    await expect
      .poll(async () => (await client.get(path)).body.messages.at(-1))
      .toMatchObject({ message_id: run.id, status: "interrupted" });
    await expect.poll(async () => (await table.get(conversation))?.last_activity_at).not.toBe(activity);
  });

  it("run whose function died is removed by a stop request when the run waits for an approval and its conversation is deleted", async () => {
    const { approvals } = (await client.get("/v1/policy")).body;
    await setPolicy(client, { approvals: { ...approvals, tool_execution: "always" } });
    const paused = await startPausedRun();
    const visitorRun = await startDeadVisitorRun();
    const state = (await listRun(paused.id)).find(({ sk }) => sk === keys.pausedRun("", "").sk);
    await table.write({ put: { ...state, ...keys.pausedRun(tenant, visitorRun.id) } });
    // The conversation still exists when the request is authorized.
    proxy.delayOf = () => 50;
    proxy.onCall = ({ caller, operation }) => {
      if (operation !== "DeleteItem") return;
      if (caller.endsWith("stop-chat")) void deleteConversation(paused.id);
      if (caller.endsWith("stop-embed-message")) void deleteConversation(visitorRun.id);
    };
    const stopped = await client.post(`/v1/runtime/chat/${paused.id}/stop`, undefined);
    const key = { "idempotency-key": randomUUID() };
    const visitorStopped = await site.request("POST", `${visitorRun.path}/stop`, undefined, key);
    Object.assign(proxy, { delayOf: () => 0, onCall: undefined });
    expect([stopped.body.status, visitorStopped.body.status]).toEqual(["stopping", "stopping"]);
    await expectNoItems(paused.id);
    await expectNoItems(visitorRun.id);
  });

  it("run whose function died is removed by the decision on its approval when its conversation was deleted", async () => {
    const { approvals } = (await client.get("/v1/policy")).body;
    await setPolicy(client, { approvals: { ...approvals, tool_execution: "always" } });
    const paused = await startPausedRun();
    await deleteConversation(paused.id);
    const approver = await createColleague(client, "admin");
    expect((await decideApproval(approver, paused.approval, "approve")).status).toBe(200);
    await expectNoItems(paused.id);
  });
});
