import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity, readResponse } from "#test/support/client.ts";
import { decideApproval, waitForResult } from "#test/support/governance/approvals.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { countStatuses, createColleague, shareConversation } from "#test/support/people.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

const rounds = process.env.SWITCHBOARD_FULL ? 200 : 6;

const action = { operation: "restartServer", params: { name: "a-1" } };

/** A tenant with somebody who asks and two who decide. */
async function office(baseUrl?: string) {
  const boss = new Client(newIdentity(), baseUrl);
  const other = await createColleague(boss, "admin");
  const worker = await createColleague(boss, "member");
  await boss.get("/v1/me");
  return { boss, other, worker };
}

const ask = async (client: Client, body: object = {}) =>
  (await client.post("/v1/approvals", { type: "tool_execution", action, ...body })).body;

const idsOf = async (client: Client, query: string): Promise<string[]> =>
  (await client.get(`/v1/approvals?${query}`)).body.approvals.map(({ id }: { id: string }) => id);

describe("an approval", () => {
  it("is requested, read, and approved by somebody else", async () => {
    const { boss, worker } = await office();
    const made = await worker.post("/v1/approvals", { type: "tool_execution", reason: "It hangs", action });
    expect([made.status, made.headers.get("location")]).toEqual([201, `/v1/approvals/${made.body.id}`]);
    expect(made.body).toEqual({
      id: expect.any(String),
      type: "tool_execution",
      risk_level: "medium",
      status: "pending",
      action,
      reason: "It hangs",
      requested_by: worker.identity.user,
      decided_by: null,
      decision: null,
      note: null,
      result: null,
      expires_at: expect.any(String),
      created_at: expect.any(String),
      decided_at: null,
    });
    const decided = await decideApproval(boss, made.body.id, "approve", { note: "Go ahead" });
    expect(decided.status).toBe(200);
    expect(decided.body).toMatchObject({ status: "approved", decision: "approve", note: "Go ahead" });
    expect(decided.body.decided_by).toBe(boss.identity.user);
    expect((await worker.get(`/v1/approvals/${made.body.id}`)).body).toEqual(decided.body);
  });

  it("is nobody's own to decide, and takes approval.decide", async () => {
    const { boss, worker, other } = await office();
    const { id } = await ask(boss);
    for (const decision of ["approve", "deny"]) {
      expect((await decideApproval(boss, id, decision)).body).toMatchObject({ status: 403, code: "forbidden" });
    }
    expect((await decideApproval(worker, id, "approve")).status).toBe(403);
    expect((await decideApproval(other, id, "approve")).status).toBe(200);
    expect((await decideApproval(boss, id, "approve")).status).toBe(403);
  });

  it("keeps its decision: the same again changes nothing, another one is a conflict", async () => {
    const { boss, other, worker } = await office();
    const { id } = await ask(worker);
    const first = await decideApproval(boss, id, "deny", { note: "No" });
    expect((await decideApproval(other, id, "deny", { note: "No!" })).body).toEqual(first.body);
    expect((await decideApproval(boss, id, "approve")).body).toMatchObject({ status: 409, code: "conflict" });
    expect((await decideApproval(boss, id, "edit", { params: { name: "a-1" } })).status).toBe(409);
    expect((await worker.post(`/v1/approvals/${id}/cancel`, {})).status).toBe(409);
  });

  it("can be edited, which approves it with other parameters", async () => {
    const { boss, other, worker } = await office();
    const { id } = await ask(worker);
    expect((await decideApproval(boss, id, "edit")).status).toBe(400);
    expect((await decideApproval(boss, id, "approve", { params: {} })).status).toBe(400);
    const edited = await decideApproval(boss, id, "edit", { params: { name: "a-2" } });
    expect(edited.body).toMatchObject({ status: "approved", decision: "edit", action: { params: { name: "a-2" } } });
    expect((await decideApproval(other, id, "edit", { params: { name: "a-2" } })).status).toBe(200);
    expect((await decideApproval(other, id, "edit", { params: { name: "a-3" } })).status).toBe(409);
    expect((await decideApproval(other, id, "approve")).status).toBe(409);
  });

  it("is cancelled by who requested it", async () => {
    const { boss, worker } = await office();
    const { id } = await ask(worker);
    expect((await boss.post(`/v1/approvals/${id}/cancel`, {})).status).toBe(403);
    expect((await (await createColleague(boss)).post(`/v1/approvals/${id}/cancel`, {})).status).toBe(404);
    const cancelled = await worker.post(`/v1/approvals/${id}/cancel`, {});
    expect([cancelled.status, cancelled.body.status]).toEqual([200, "cancelled"]);
    expect((await worker.post(`/v1/approvals/${id}/cancel`, {})).body).toEqual(cancelled.body);
    expect((await decideApproval(boss, id, "approve")).status).toBe(409);
  });

  it("is seen by who requested it and who decides, and by nobody else", async () => {
    const { boss, worker } = await office();
    const { id } = await ask(worker);
    expect((await boss.get(`/v1/approvals/${id}`)).status).toBe(200);
    expect((await (await createColleague(boss)).get(`/v1/approvals/${id}`)).status).toBe(404);
    const foreigner = new Client();
    expect((await foreigner.get(`/v1/approvals/${id}`)).status).toBe(404);
    expect((await decideApproval(foreigner, id, "approve")).status).toBe(404);
    expect(await idsOf(foreigner, "")).toEqual([]);
  });

  it("is found by status, by who asked and by who can decide", async () => {
    const { boss, other, worker } = await office();
    const [first, second, third] = [(await ask(worker)).id, (await ask(worker)).id, (await ask(boss)).id];
    await decideApproval(boss, first, "approve");
    expect(await idsOf(boss, "")).toEqual([third, second, first]);
    expect(await idsOf(worker, "")).toEqual([second, first]);
    expect(await idsOf(boss, "status=pending")).toEqual([third, second]);
    expect(await idsOf(boss, "status=approved")).toEqual([first]);
    expect(await idsOf(boss, "mine=true")).toEqual([third]);
    expect(await idsOf(worker, "mine=true&status=pending")).toEqual([second]);
    expect(await idsOf(boss, "to_decide=true")).toEqual([second]);
    expect(await idsOf(other, "to_decide=true")).toEqual([third, second]);
    expect(await idsOf(worker, "to_decide=true")).toEqual([]);
    for (const query of ["", "mine=true", "status=pending"]) {
      const seen: string[] = [];
      for (let cursor = ""; ; ) {
        const { body } = await worker.get(`/v1/approvals?limit=1&${query}${cursor}`);
        seen.push(...body.approvals.map(({ id }: { id: string }) => id));
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(seen).toEqual(query === "status=pending" ? [second] : [second, first]);
    }
  });

  it("is for an action that there is, with parameters that fit", async () => {
    const { boss, worker } = await office();
    const conversation_id = await worker.createConversation();
    const wrong: [string, string, object][] = [
      ["share", "exportConversation", { conversation_id, format: "json" }],
      ["tool_execution", "createShareLink", { conversation_id, expires_in: "1h" }],
      ["share", "constructor", {}],
      ["share", "createShareLink", { conversation_id, expires_in: "2h" }],
      ["share", "createShareLink", { conversation_id, expires_in: "1h", extra: 1 }],
      ["data_access", "readConversation", { conversation_id, hours: 1_000 }],
    ];
    for (const [type, operation, params] of wrong) {
      const { status, body } = await boss.post("/v1/approvals", { type, action: { operation, params } });
      expect([operation, status, body.code]).toEqual([operation, 400, "validation_failed"]);
    }
    const sharing = {
      type: "share",
      action: { operation: "createShareLink", params: { conversation_id, expires_in: "1h" } },
    };
    expect((await boss.post("/v1/approvals", sharing)).status).toBe(404);
    const { id } = await ask(worker, sharing);
    const elsewhere = { conversation_id: await worker.createConversation(), expires_in: "24h" };
    expect((await decideApproval(boss, id, "edit", { params: elsewhere })).body.errors[0].path).toBe(
      "params.conversation_id",
    );
    expect((await decideApproval(boss, id, "edit", { params: { conversation_id } })).body.errors[0].path).toBe(
      "params.expires_in",
    );
  });

  it("is requested once for an Idempotency-Key", async () => {
    const { worker } = await office();
    const headers = { "idempotency-key": randomUUID() };
    const make = () => worker.post("/v1/approvals", { type: "tool_execution", action }, headers);
    expect((await make()).body).toEqual((await make()).body);
    expect((await idsOf(worker, "")).length).toBe(1);
  });

  it("has one decision, whoever of 50 is first: the same one again is 200, another one 409", async () => {
    const { boss, worker } = await office();
    const deciders = await Promise.all(Array.from({ length: 50 }, () => createColleague(boss, "admin")));
    const { id } = await ask(worker);
    const choices = ["approve", "deny", "edit"];
    const answers = await Promise.all(
      deciders.map(async (client, n) => {
        const decision = choices[n % 3] ?? "";
        const answer = await decideApproval(client, id, decision, decision === "edit" ? { params: { n: 1 } } : {});
        return { decision, user: client.identity.user, answer };
      }),
    );
    const stands = (await worker.get(`/v1/approvals/${id}`)).body;
    for (const { decision, answer } of answers) {
      expect([decision, answer.status]).toEqual([decision, decision === stands.decision ? 200 : 409]);
      if (answer.status === 200) expect(answer.body).toEqual(stands);
    }
    expect(answers.some(({ user }) => user === stands.decided_by)).toBe(true);
  });
});

describe("a link that needs sign-off", () => {
  let service: Switchboard;
  beforeAll(async () => {
    service = await startSwitchboard();
  });
  afterAll(() => service?.stop());

  it("waits, is made once when approved, and its token is given once, to who asked", async () => {
    const { boss, worker } = await office(service.baseUrl);
    await setPolicy(boss, {
      approvals: {
        share_link: "always",
        export: "never",
        tool_execution: "never",
        data_access: "always",
        risk_level: "high",
      },
    });
    const id = await worker.createConversation("For the public");
    const held = await worker.post(`/v1/chat/${id}/share-link`, { expires_in: "1h" });
    const { approval } = held.body;
    expect([held.status, held.headers.get("location")]).toEqual([202, `/v1/approvals/${approval.id}`]);
    expect(approval).toMatchObject({
      type: "share",
      risk_level: "high",
      status: "pending",
      action: { operation: "createShareLink", params: { conversation_id: id, expires_in: "1h" } },
    });
    expect((await worker.get(`/v1/chat/${id}/share-link`)).body.links).toEqual([]);
    await decideApproval(boss, approval.id, "edit", { params: { conversation_id: id, expires_in: "24h" } });
    expect((await waitForResult(boss, approval.id)).result).not.toHaveProperty("token");
    const readings = await Promise.all(Array.from({ length: 8 }, () => worker.get(`/v1/approvals/${approval.id}`)));
    const given = readings.filter(({ body }) => body.result.token);
    expect(given.length).toBe(1);
    const { token, url, link_id, expires_in, status } = given[0]?.body.result ?? {};
    expect([status, expires_in, url]).toEqual(["done", "24h", `/v1/shared/${token}`]);
    const visited = await readResponse(await fetch(service.baseUrl + url));
    expect(visited.body.title).toBe("For the public");
    const { links } = (await worker.get(`/v1/chat/${id}/share-link`)).body;
    expect(links.map((link: { link_id: string }) => link.link_id)).toEqual([link_id]);
    expect(findItemsContaining(service, token)).toEqual([]);
    expect((await worker.get(`/v1/approvals/${approval.id}`)).body.result).not.toHaveProperty("token");
  });

  it("is made from a request of one's own as well", async () => {
    const { boss, worker } = await office(service.baseUrl);
    const id = await worker.createConversation();
    const params = { conversation_id: id, expires_in: "7d" };
    const approval = await ask(worker, { type: "share", action: { operation: "createShareLink", params } });
    await decideApproval(boss, approval.id, "approve");
    expect((await waitForResult(worker, approval.id)).result).toMatchObject({
      expires_in: "7d",
      token: expect.any(String),
    });
  });

  it("is not made when denied, nor of a conversation that is gone by then", async () => {
    const { boss, worker } = await office(service.baseUrl);
    const ids = [await worker.createConversation(), await worker.createConversation()];
    const approvals = await Promise.all(
      ids.map((conversation_id) =>
        ask(worker, {
          type: "share",
          action: { operation: "createShareLink", params: { conversation_id, expires_in: "1h" } },
        }),
      ),
    );
    await decideApproval(boss, approvals[0].id, "deny");
    await worker.delete(`/v1/conversations/${ids[1]}`);
    await decideApproval(boss, approvals[1].id, "approve");
    expect((await waitForResult(worker, approvals[1].id)).result).toMatchObject({
      status: "failed",
      code: "not_found",
    });
    expect((await worker.get(`/v1/approvals/${approvals[0].id}`)).body.result).toBe(null);
    expect((await worker.get(`/v1/chat/${ids[0]}/share-link`)).body.links).toEqual([]);
  });
});

describe("with a table that breaks down in the middle", () => {
  let table: TableProxy;
  let service: Switchboard;
  beforeAll(async () => {
    table = await startTableProxy();
    service = await startSwitchboard({ env: { DYNAMODB_ENDPOINT: table.endpoint } });
  });
  afterAll(async () => {
    await service?.stop();
    await table?.stop();
  });

  it(`what was approved is done once, in each of ${rounds} rounds`, { timeout: 900_000 }, async () => {
    const { boss, worker } = await office(service.baseUrl);
    for (let round = 0; round < rounds; round++) {
      const id = await worker.createConversation();
      const params = { conversation_id: id, expires_in: "1h" };
      const approval = await ask(worker, { type: "share", action: { operation: "createShareLink", params } });
      table.faultRates = { lostRequestRate: 0.15, lostResponseRate: 0.15, throttleRate: 0.1 };
      const answers = await Promise.all(Array.from({ length: 5 }, () => decideApproval(boss, approval.id, "approve")));
      expect(answers.every(({ status }) => status === 200 || status >= 500)).toBe(true);
      await sleep(300);
      table.faultRates = {};
      expect((await decideApproval(boss, approval.id, "approve")).status).toBe(200);
      const { result } = await waitForResult(worker, approval.id);
      const { links } = (await worker.get(`/v1/chat/${id}/share-link`)).body;
      expect(links.map((link: { link_id: string }) => link.link_id)).toEqual([result.link_id]);
    }
  });
});

describe("access to somebody else's conversation", () => {
  const reading = (conversation_id: string, hours = 2) => ({
    type: "data_access",
    reason: "A complaint",
    action: { operation: "readConversation", params: { conversation_id, hours } },
  });

  it("is an administrator's to ask for, and lets read for a time once approved", async () => {
    const { boss, other, worker } = await office();
    const id = await worker.createConversation();
    expect((await worker.post("/v1/approvals", reading(id))).status).toBe(403);
    expect((await boss.post("/v1/approvals", reading(randomUUID()))).status).toBe(404);
    expect((await boss.get(`/v1/conversations/${id}`)).status).toBe(404);
    const approval = await ask(boss, reading(id));
    await decideApproval(other, approval.id, "approve");
    const { result } = await waitForResult(boss, approval.id);
    expect(result).toMatchObject({ status: "done", conversation_id: id, permission: "READ" });
    expect(Date.parse(String(result.expires_at)) - Date.now()).toBeGreaterThan(7_000_000);
    expect((await boss.get(`/v1/conversations/${id}`)).body.access).toBe("READ");
    expect((await boss.patch(`/v1/conversations/${id}`, { title: "Mine" })).status).toBe(403);
    // Its owner knows, and has the last word.
    expect((await worker.get(`/v1/chat/${id}/share`)).body.grants).toMatchObject([
      { user_id: boss.identity.user, permission: "READ", granted_by: other.identity.user },
    ]);
    await worker.delete(`/v1/chat/${id}/share/${boss.identity.user}`);
    expect((await boss.get(`/v1/conversations/${id}`)).status).toBe(404);
  });

  it("needs nobody's word where the policy says so, and is noted all the same", async () => {
    const { boss, worker } = await office();
    const approvals = {
      share_link: "never",
      export: "never",
      tool_execution: "never",
      data_access: "never",
      risk_level: "low",
    } as const;
    await setPolicy(boss, { approvals });
    const id = await worker.createConversation();
    const approval = await ask(boss, reading(id));
    expect(approval).toMatchObject({ status: "approved", decided_by: null, decision: "approve" });
    await waitForResult(boss, approval.id);
    expect((await boss.get(`/v1/conversations/${id}`)).status).toBe(200);
  });

  it("takes nothing away from what its owner has granted", async () => {
    const { boss, other, worker } = await office();
    const id = await worker.createConversation();
    expect((await shareConversation(worker, id, boss, "WRITE")).status).toBe(201);
    const approval = await ask(boss, reading(id, 1));
    await decideApproval(other, approval.id, "approve");
    await waitForResult(boss, approval.id);
    expect((await boss.get(`/v1/conversations/${id}`)).body.access).toBe("WRITE");
  });

  it("is had by one of many who ask at once, each for themselves", async () => {
    const { boss, worker } = await office();
    const id = await worker.createConversation();
    const headers = { "idempotency-key": randomUUID() };
    expect(await countStatuses(10, () => boss.post("/v1/approvals", reading(id), headers))).toEqual(
      new Map([[201, 10]]),
    );
    expect((await idsOf(boss, "mine=true")).length).toBe(1);
  });
});
