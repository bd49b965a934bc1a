import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity, readResponse } from "#test/support/client.ts";
import { decideApproval, waitForResult } from "#test/support/governance/approvals.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { countStatuses, createColleague, shareConversation } from "#test/support/people.ts";
import { sized } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

const rounds = sized({ usual: 6, full: 20, soak: 200 });

const action = { operation: "restartServer", params: { name: "a-1" } };

/** Creates a tenant with two administrators and one member who requests approvals. */
async function createTeam(baseUrl?: string) {
  const admin = new Client(newIdentity(), baseUrl);
  const secondAdmin = await createColleague(admin, "admin");
  const requester = await createColleague(admin, "member");
  await admin.get("/v1/me");
  return { admin, secondAdmin, requester };
}

const requestApproval = async (client: Client, body: object = {}) =>
  (await client.post("/v1/approvals", { type: "tool_execution", action, ...body })).body;

const listIds = async (client: Client, query: string): Promise<string[]> =>
  (await client.get(`/v1/approvals?${query}`)).body.approvals.map(({ id }: { id: string }) => id);

it("approval is requested by one user and approved by another", async () => {
  const { admin, requester } = await createTeam();
  const createdResponse = await requester.post("/v1/approvals", {
    type: "tool_execution",
    reason: "It hangs",
    action,
  });
  expect([createdResponse.status, createdResponse.headers.get("location")]).toEqual([
    201,
    `/v1/approvals/${createdResponse.body.id}`,
  ]);
  expect(createdResponse.body).toEqual({
    id: expect.any(String),
    type: "tool_execution",
    risk_level: "medium",
    status: "pending",
    action,
    reason: "It hangs",
    requested_by: requester.identity.user,
    decider: "approver",
    decided_by: null,
    decision: null,
    note: null,
    result: null,
    expires_at: expect.any(String),
    created_at: expect.any(String),
    decided_at: null,
  });
  const decisionResponse = await decideApproval(admin, createdResponse.body.id, "approve", { note: "Go ahead" });
  expect(decisionResponse.status).toBe(200);
  expect(decisionResponse.body).toMatchObject({ status: "approved", decision: "approve", note: "Go ahead" });
  expect(decisionResponse.body.decided_by).toBe(admin.identity.user);
  expect((await requester.get(`/v1/approvals/${createdResponse.body.id}`)).body).toEqual(decisionResponse.body);
});

it("approval cannot be decided by its requester or by callers without the permission approval.decide", async () => {
  const { admin, requester, secondAdmin } = await createTeam();
  const { id } = await requestApproval(admin);
  for (const decision of ["approve", "deny"]) {
    expect((await decideApproval(admin, id, decision)).body).toMatchObject({ status: 403, code: "forbidden" });
  }
  expect((await decideApproval(requester, id, "approve")).status).toBe(403);
  expect((await decideApproval(secondAdmin, id, "approve")).status).toBe(200);
  expect((await decideApproval(admin, id, "approve")).status).toBe(403);
});

it("approval accepts a repeated decision and rejects a different one with a conflict", async () => {
  const { admin, secondAdmin, requester } = await createTeam();
  const { id } = await requestApproval(requester);
  const first = await decideApproval(admin, id, "deny", { note: "No" });
  expect((await decideApproval(secondAdmin, id, "deny", { note: "No!" })).body).toEqual(first.body);
  expect((await decideApproval(admin, id, "approve")).body).toMatchObject({ status: 409, code: "conflict" });
  expect((await decideApproval(admin, id, "edit", { params: { name: "a-1" } })).status).toBe(409);
  expect((await requester.post(`/v1/approvals/${id}/cancel`, {})).status).toBe(409);
});

it("approval can be approved with edited parameters", async () => {
  const { admin, secondAdmin, requester } = await createTeam();
  const { id } = await requestApproval(requester);
  expect((await decideApproval(admin, id, "edit")).status).toBe(400);
  expect((await decideApproval(admin, id, "approve", { params: {} })).status).toBe(400);
  const editResponse = await decideApproval(admin, id, "edit", { params: { name: "a-2" } });
  expect(editResponse.body).toMatchObject({
    status: "approved",
    decision: "edit",
    action: { params: { name: "a-2" } },
  });
  expect((await decideApproval(secondAdmin, id, "edit", { params: { name: "a-2" } })).status).toBe(200);
  expect((await decideApproval(secondAdmin, id, "edit", { params: { name: "a-3" } })).status).toBe(409);
  expect((await decideApproval(secondAdmin, id, "approve")).status).toBe(409);
});

it("approval can be cancelled by its requester only", async () => {
  const { admin, requester } = await createTeam();
  const { id } = await requestApproval(requester);
  expect((await admin.post(`/v1/approvals/${id}/cancel`, {})).status).toBe(403);
  expect((await (await createColleague(admin)).post(`/v1/approvals/${id}/cancel`, {})).status).toBe(404);
  const cancelResponse = await requester.post(`/v1/approvals/${id}/cancel`, {});
  expect([cancelResponse.status, cancelResponse.body.status]).toEqual([200, "cancelled"]);
  expect((await requester.post(`/v1/approvals/${id}/cancel`, {})).body).toEqual(cancelResponse.body);
  expect((await decideApproval(admin, id, "approve")).status).toBe(409);
});

it("approval is visible to its requester and deciders only", async () => {
  const { admin, requester } = await createTeam();
  const { id } = await requestApproval(requester);
  expect((await admin.get(`/v1/approvals/${id}`)).status).toBe(200);
  expect((await (await createColleague(admin)).get(`/v1/approvals/${id}`)).status).toBe(404);
  const foreigner = new Client();
  expect((await foreigner.get(`/v1/approvals/${id}`)).status).toBe(404);
  expect((await decideApproval(foreigner, id, "approve")).status).toBe(404);
  expect(await listIds(foreigner, "")).toEqual([]);
});

it("approval can be filtered by status, requester and decider", async () => {
  const { admin, secondAdmin, requester } = await createTeam();
  const [first, second, third] = [
    (await requestApproval(requester)).id,
    (await requestApproval(requester)).id,
    (await requestApproval(admin)).id,
  ];
  await decideApproval(admin, first, "approve");
  expect(await listIds(admin, "")).toEqual([third, second, first]);
  expect(await listIds(requester, "")).toEqual([second, first]);
  expect(await listIds(admin, "status=pending")).toEqual([third, second]);
  expect(await listIds(admin, "status=approved")).toEqual([first]);
  expect(await listIds(admin, "mine=true")).toEqual([third]);
  expect(await listIds(requester, "mine=true&status=pending")).toEqual([second]);
  expect(await listIds(admin, "to_decide=true")).toEqual([second]);
  expect(await listIds(secondAdmin, "to_decide=true")).toEqual([third, second]);
  expect(await listIds(requester, "to_decide=true")).toEqual([]);
  for (const query of ["", "mine=true", "status=pending"]) {
    const listedIds: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await requester.get(`/v1/approvals?limit=1&${query}${cursor}`);
      listedIds.push(...body.approvals.map(({ id }: { id: string }) => id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(listedIds).toEqual(query === "status=pending" ? [second] : [second, first]);
  }
});

it("approval can be requested only for an existing action with valid parameters", async () => {
  const { admin, requester } = await createTeam();
  const conversation_id = await requester.createConversation();
  const invalidActions: [string, string, object][] = [
    ["share", "exportConversation", { conversation_id, format: "json" }],
    ["tool_execution", "createShareLink", { conversation_id, expires_in: "1h" }],
    ["share", "constructor", {}],
    ["share", "createShareLink", { conversation_id, expires_in: "2h" }],
    ["share", "createShareLink", { conversation_id, expires_in: "1h", extra: 1 }],
    ["data_access", "readConversation", { conversation_id, hours: 1_000 }],
  ];
  for (const [type, operation, params] of invalidActions) {
    const { status, body } = await admin.post("/v1/approvals", { type, action: { operation, params } });
    expect([operation, status, body.code]).toEqual([operation, 400, "validation_failed"]);
  }
  const sharing = {
    type: "share",
    action: { operation: "createShareLink", params: { conversation_id, expires_in: "1h" } },
  };
  expect((await admin.post("/v1/approvals", sharing)).status).toBe(404);
  const { id } = await requestApproval(requester, sharing);
  const otherParams = { conversation_id: await requester.createConversation(), expires_in: "24h" };
  expect((await decideApproval(admin, id, "edit", { params: otherParams })).body.errors[0].path).toBe(
    "params.conversation_id",
  );
  expect((await decideApproval(admin, id, "edit", { params: { conversation_id } })).body.errors[0].path).toBe(
    "params.expires_in",
  );
});

it("approval is created once per Idempotency-Key", async () => {
  const { requester } = await createTeam();
  const headers = { "idempotency-key": randomUUID() };
  const createWithKey = () => requester.post("/v1/approvals", { type: "tool_execution", action }, headers);
  expect((await createWithKey()).body).toEqual((await createWithKey()).body);
  expect((await listIds(requester, "")).length).toBe(1);
});

it("approval keeps the first of 50 concurrent decisions, and rejects different ones with 409", async () => {
  const { admin, requester } = await createTeam();
  const deciders = await Promise.all(Array.from({ length: 50 }, () => createColleague(admin, "admin")));
  const { id } = await requestApproval(requester);
  const choices = ["approve", "deny", "edit"];
  const answers = await Promise.all(
    deciders.map(async (client, n) => {
      const decision = choices[n % 3] ?? "";
      const response = await decideApproval(client, id, decision, decision === "edit" ? { params: { n: 1 } } : {});
      return { decision, user: client.identity.user, answer: response };
    }),
  );
  const finalApproval = (await requester.get(`/v1/approvals/${id}`)).body;
  for (const { decision, answer } of answers) {
    expect([decision, answer.status]).toEqual([decision, decision === finalApproval.decision ? 200 : 409]);
    if (answer.status === 200) expect(answer.body).toEqual(finalApproval);
  }
  expect(answers.some(({ user }) => user === finalApproval.decided_by)).toBe(true);
});

describe("share link that requires approval", () => {
  let service: Switchboard;
  beforeAll(async () => {
    service = await startSwitchboard();
  });
  afterAll(() => service?.stop());

  it("share link that requires approval is created once approved, and its token is returned to the requester once", async () => {
    const { admin, requester } = await createTeam(service.baseUrl);
    await setPolicy(admin, {
      approvals: {
        share_link: "always",
        export: "never",
        tool_execution: "never",
        data_access: "always",
        risk_level: "high",
      },
    });
    const id = await requester.createConversation("For the public");
    const response = await requester.post(`/v1/chat/${id}/share-link`, { expires_in: "1h" });
    const { approval } = response.body;
    expect([response.status, response.headers.get("location")]).toEqual([202, `/v1/approvals/${approval.id}`]);
    expect(approval).toMatchObject({
      type: "share",
      risk_level: "high",
      status: "pending",
      action: { operation: "createShareLink", params: { conversation_id: id, expires_in: "1h" } },
    });
    expect((await requester.get(`/v1/chat/${id}/share-link`)).body.links).toEqual([]);
    await decideApproval(admin, approval.id, "edit", { params: { conversation_id: id, expires_in: "24h" } });
    expect((await waitForResult(admin, approval.id)).result).not.toHaveProperty("token");
    const responses = await Promise.all(Array.from({ length: 8 }, () => requester.get(`/v1/approvals/${approval.id}`)));
    const withToken = responses.filter(({ body }) => body.result.token);
    expect(withToken.length).toBe(1);
    const { token, url, link_id, expires_in, status } = withToken[0]?.body.result ?? {};
    expect([status, expires_in, url]).toEqual(["done", "24h", `/v1/shared/${token}`]);
    const visitedResponse = await readResponse(await fetch(service.baseUrl + url));
    expect(visitedResponse.body.title).toBe("For the public");
    const { links } = (await requester.get(`/v1/chat/${id}/share-link`)).body;
    expect(links.map((link: { link_id: string }) => link.link_id)).toEqual([link_id]);
    expect(findItemsContaining(service, token)).toEqual([]);
    expect((await requester.get(`/v1/approvals/${approval.id}`)).body.result).not.toHaveProperty("token");
  });

  it("approval of a share link or an export shows the conversation to its approver while it is pending, but not to an API key", async () => {
    const { admin, requester } = await createTeam(service.baseUrl);
    const id = await requester.createConversation("For the public");
    await requester.chat({ conversation_id: id, content: "First words" });
    const { body: before } = await requester.get(`/v1/conversations/${id}/messages`);
    const edit_message_id = before.messages[0].message_id;
    await requester.chat({ conversation_id: id, content: "Better words", edit_message_id });
    const { body: after } = await requester.get(`/v1/conversations/${id}/messages`);
    const params = { conversation_id: id, expires_in: "7d" };
    const request = (operation: string, type: string, fields: object) =>
      requestApproval(requester, { type, action: { operation, params: { conversation_id: id, ...fields } } });
    const approval = await request("createShareLink", "share", { expires_in: "7d" });
    const path = `/v1/approvals/${approval.id}`;
    const { conversation } = (await admin.get(path)).body;
    expect(conversation).toMatchObject({ title: "For the public", message_count: 4 });
    const [question, answer, ...others] = conversation.messages;
    expect([question, others]).toEqual([{ role: "user", text: "Better words", created_at: expect.any(String) }, []]);
    expect(answer).toMatchObject({ role: "assistant", text: after.messages.at(-1).content[0].text });
    expect((await requester.get(path)).body).not.toHaveProperty("conversation");
    expect((await admin.get(`/v1/conversations/${id}`)).status).toBe(404);
    const key = await admin.post(
      "/v1/tenant/api-keys",
      { description: "Reader", preset: "read_only" },
      { "idempotency-key": randomUUID() },
    );
    const read = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key.body.key}` } });
    expect(await read.json()).toEqual(approval);
    await decideApproval(admin, approval.id, "deny");
    expect((await admin.get(path)).body).not.toHaveProperty("conversation");
    const exported = await request("exportConversation", "export", { format: "json" });
    expect((await admin.get(`/v1/approvals/${exported.id}`)).body.conversation.title).toBe("For the public");
    const tool = await requestApproval(requester, { action: { operation: "publish", params } });
    expect((await admin.get(`/v1/approvals/${tool.id}`)).body).not.toHaveProperty("conversation");
    await requester.delete(`/v1/conversations/${id}`);
    expect((await admin.get(`/v1/approvals/${exported.id}`)).body).not.toHaveProperty("conversation");
  });

  it("share link that requires approval can be requested through the approvals API", async () => {
    const { admin, requester } = await createTeam(service.baseUrl);
    const id = await requester.createConversation();
    const params = { conversation_id: id, expires_in: "7d" };
    const approval = await requestApproval(requester, {
      type: "share",
      action: { operation: "createShareLink", params },
    });
    await decideApproval(admin, approval.id, "approve");
    expect((await waitForResult(requester, approval.id)).result).toMatchObject({
      expires_in: "7d",
      token: expect.any(String),
    });
  });

  it("share link that requires approval is not created when the approval is denied or the conversation was deleted", async () => {
    const { admin, requester } = await createTeam(service.baseUrl);
    const ids = [await requester.createConversation(), await requester.createConversation()];
    const approvals = await Promise.all(
      ids.map((conversation_id) =>
        requestApproval(requester, {
          type: "share",
          action: { operation: "createShareLink", params: { conversation_id, expires_in: "1h" } },
        }),
      ),
    );
    await decideApproval(admin, approvals[0].id, "deny");
    await requester.delete(`/v1/conversations/${ids[1]}`);
    await decideApproval(admin, approvals[1].id, "approve");
    expect((await waitForResult(requester, approvals[1].id)).result).toMatchObject({
      status: "failed",
      code: "not_found",
    });
    expect((await requester.get(`/v1/approvals/${approvals[0].id}`)).body.result).toBe(null);
    expect((await requester.get(`/v1/chat/${ids[0]}/share-link`)).body.links).toEqual([]);
  });
});

describe("approval with a failing table", () => {
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

  it(`approval with a failing table executes its action exactly once in each of ${rounds} rounds`, async () => {
    const { admin, requester } = await createTeam(service.baseUrl);
    for (let round = 0; round < rounds; round++) {
      const id = await requester.createConversation();
      const params = { conversation_id: id, expires_in: "1h" };
      const approval = await requestApproval(requester, {
        type: "share",
        action: { operation: "createShareLink", params },
      });
      table.faultRates = { lostRequestRate: 0.15, lostResponseRate: 0.15, throttleRate: 0.1 };
      const responses = await Promise.all(
        Array.from({ length: 5 }, () => decideApproval(admin, approval.id, "approve")),
      );
      expect(responses.every(({ status }) => status === 200 || status >= 500)).toBe(true);
      await sleep(300);
      table.faultRates = {};
      expect((await decideApproval(admin, approval.id, "approve")).status).toBe(200);
      const { result } = await waitForResult(requester, approval.id);
      const { links } = (await requester.get(`/v1/chat/${id}/share-link`)).body;
      expect(links.map((link: { link_id: string }) => link.link_id)).toEqual([result.link_id]);
    }
  });
});

describe("approved access to another user's conversation", () => {
  const accessRequest = (conversation_id: string, hours = 2) => ({
    type: "data_access",
    reason: "A complaint",
    action: { operation: "readConversation", params: { conversation_id, hours } },
  });

  it("approved access to another user's conversation can be requested by an administrator and grants temporary read access", async () => {
    const { admin, secondAdmin, requester } = await createTeam();
    const id = await requester.createConversation();
    expect((await requester.post("/v1/approvals", accessRequest(id))).status).toBe(403);
    expect((await admin.post("/v1/approvals", accessRequest(randomUUID()))).status).toBe(404);
    expect((await admin.get(`/v1/conversations/${id}`)).status).toBe(404);
    const approval = await requestApproval(admin, accessRequest(id));
    await decideApproval(secondAdmin, approval.id, "approve");
    const { result } = await waitForResult(admin, approval.id);
    expect(result).toMatchObject({ status: "done", conversation_id: id, permission: "READ" });
    expect(Date.parse(String(result.expires_at)) - Date.now()).toBeGreaterThan(7_000_000);
    expect((await admin.get(`/v1/conversations/${id}`)).body.access).toBe("READ");
    expect((await admin.patch(`/v1/conversations/${id}`, { title: "Mine" })).status).toBe(403);
    // The owner sees the grant and can revoke it.
    expect((await requester.get(`/v1/chat/${id}/share`)).body.grants).toMatchObject([
      { user_id: admin.identity.user, permission: "READ", granted_by: secondAdmin.identity.user },
    ]);
    await requester.delete(`/v1/chat/${id}/share/${admin.identity.user}`);
    expect((await admin.get(`/v1/conversations/${id}`)).status).toBe(404);
  });

  it("request for access to another user's conversation is approved automatically when the policy requires no approval", async () => {
    const { admin, requester } = await createTeam();
    const approvals = {
      share_link: "never",
      export: "never",
      tool_execution: "never",
      data_access: "never",
      risk_level: "low",
    } as const;
    await setPolicy(admin, { approvals });
    const id = await requester.createConversation();
    const approval = await requestApproval(admin, accessRequest(id));
    expect(approval).toMatchObject({ status: "approved", decided_by: null, decision: "approve" });
    await waitForResult(admin, approval.id);
    expect((await admin.get(`/v1/conversations/${id}`)).status).toBe(200);
  });

  it("approved access to another user's conversation does not reduce access that the user already has", async () => {
    const { admin, secondAdmin, requester } = await createTeam();
    const id = await requester.createConversation();
    expect((await shareConversation(requester, id, admin, "WRITE")).status).toBe(201);
    const approval = await requestApproval(admin, accessRequest(id, 1));
    await decideApproval(secondAdmin, approval.id, "approve");
    await waitForResult(admin, approval.id);
    expect((await admin.get(`/v1/conversations/${id}`)).body.access).toBe("WRITE");
  });

  it("approved access to another user's conversation is requested once by concurrent requests with the same Idempotency-Key", async () => {
    const { admin, requester } = await createTeam();
    const id = await requester.createConversation();
    const headers = { "idempotency-key": randomUUID() };
    expect(await countStatuses(10, () => admin.post("/v1/approvals", accessRequest(id), headers))).toEqual(
      new Map([[201, 10]]),
    );
    expect((await listIds(admin, "mine=true")).length).toBe(1);
  });
});
