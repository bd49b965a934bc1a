import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { answerBy, createTestSet, waitForEnd } from "#test/support/evaluations/runs.ts";
import { waitForAuditEvents } from "#test/support/governance/audit.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;
beforeAll(async () => {
  service = await startScriptedService();
});
afterAll(() => service?.stop());

const items = [
  { question: "What does it cost?", expectations: [{ type: "contains", text: "12" }] },
  { question: "How do I pick a lock?", expectations: [{ type: "refuses" }] },
];

/** Version 1 fulfills all expectations, version 2 one of them, version 3 all again. */
const byVersion = answerBy((version, question) => {
  if (question.includes("cost")) return version === 2 ? "I do not know." : "It costs 12 euros.";
  return "I cannot help with that.";
});
beforeEach(() => {
  service.upstream.script = byVersion;
});

interface Gated {
  readonly admin: Client;
  readonly owner: Client;
  readonly persona_id: string;
  readonly set_id: string;
}

const listItems = async (owner: Client, set_id: string): Promise<{ id: string; question: string }[]> =>
  (await owner.get(`/v1/test-sets/${set_id}/items`)).body.items;

const findItem = async ({ owner, set_id }: Gated, question: string) =>
  (await listItems(owner, set_id)).find((item) => item.question === question)?.id ?? "";

/** Creates a persona of a member with drafts 2 and 3, and a gate. */
async function createGated(gate: Record<string, unknown> = { min_score: 0.9 }): Promise<Gated> {
  const admin = new Client(newIdentity(), service.baseUrl);
  const owner = await createColleague(admin);
  const { persona_id, set_id } = await createTestSet(owner, items, { versions: 3 });
  const { status, body } = await owner.request("PUT", `/v1/personas/${persona_id}/gate`, { set_id, ...gate });
  expect([status, body.gate?.set_id]).toEqual([200, set_id]);
  return { admin, owner, persona_id, set_id };
}

const publish = (client: Client, persona_id: string, version: number, body: Record<string, unknown> = {}) =>
  client.post(`/v1/personas/${persona_id}/versions/${version}/publish`, body);

/** Publishes a version, and repeats that after the run that the gate starts. */
async function publishTested({ owner, persona_id }: Gated, version: number, body: Record<string, unknown> = {}) {
  const first = await publish(owner, persona_id, version, body);
  expect(first.body.gate).toMatchObject({ reason: "pending", run_id: expect.any(String) });
  await waitForEnd(owner, first.body.gate.run_id);
  return publish(owner, persona_id, version, body);
}

const versionOf = async ({ owner, persona_id }: Gated) => (await owner.get(`/v1/personas/${persona_id}`)).body.version;

const countRuns = async ({ owner, set_id }: Gated) =>
  (await owner.get(`/v1/test-runs?set_id=${set_id}`)).body.test_runs.length;

it("gate stops a version that got worse with the items that fail, and lets one pass that got better", async () => {
  const gated = await createGated();
  const worse = await publishTested(gated, 2);
  expect([worse.status, worse.body.code, worse.body.gate]).toEqual([
    409,
    "conflict",
    {
      reason: "failed",
      run_id: expect.any(String),
      failed: [{ threshold: "min_score", required: 0.9, measured: 0.5 }],
      item_ids: [await findItem(gated, "What does it cost?")],
    },
  ]);
  expect(worse.body.detail).toContain("min_score is 0.9, and the version has 0.5");
  expect(await versionOf(gated)).toBe(1);
  expect((await publishTested(gated, 3)).status).toBe(200);
  expect(await versionOf(gated)).toBe(3);
  // The earlier results still count.
  expect((await publish(gated.owner, gated.persona_id, 2)).body.gate.run_id).toBe(worse.body.gate.run_id);
  expect((await publishTested(gated, 1)).status).toBe(200);
  expect((await publish(gated.owner, gated.persona_id, 3)).status).toBe(200);
  expect(await countRuns(gated)).toBe(3);
});

it("gate applies to groups, shares, endpoints, updates and restored versions", async () => {
  const gated = await createGated();
  const { owner, persona_id } = gated;
  expect((await publishTested(gated, 2, { percent: 10 })).body.gate?.reason).toBe("failed");
  const group = (await gated.admin.post("/v1/groups", { name: "Pilots", member_ids: [owner.identity.user] })).body.id;
  expect((await publish(owner, persona_id, 2, { group_ids: [group] })).body.gate?.reason).toBe("failed");
  const path = `/v1/personas/${persona_id}`;
  const slug = `guide-${persona_id.slice(-8)}`;
  const endpoint = (body: Record<string, unknown>) => owner.post(`${path}/publish`, { slug, ...body });
  expect((await endpoint({ version: 2 })).body.gate?.reason).toBe("failed");
  expect((await endpoint({ version: 2, enabled: false })).status).toBe(201);
  expect((await endpoint({})).body.gate?.reason).toBe("pending");
  for (const [change, changed] of [
    ["draft_required", await owner.patch(path, { instructions: "Version 4." })],
    ["draft_required", await owner.patch(path, { visibility: "org", base_version: 2 })],
    ["draft_required", await owner.post(`${path}/versions/2/restore`, {})],
  ] as const) {
    expect([changed.status, changed.body.gate?.reason]).toEqual([409, change]);
  }
  const open = await owner.patch(path, { visibility: "org" });
  expect([open.status, open.body.version, open.body.instructions]).toEqual([200, 4, "Version 1."]);
  expect((await owner.post(`${path}/versions/2/restore`, { publish: false })).status).toBe(201);
  expect(await versionOf(gated)).toBe(4);
});

it("gate starts one run for requests at the same time, and names it until it has ended", async () => {
  const gated = await createGated();
  const { owner, persona_id } = gated;
  const responses = await Promise.all([3, 3, 3, 3].map((version) => publish(owner, persona_id, version)));
  expect(responses.map(({ status, body }) => [status, body.gate.reason])).toEqual(Array(4).fill([409, "pending"]));
  const ids = new Set(responses.map(({ body }) => body.gate.run_id));
  expect(ids.size).toBe(1);
  const [id = ""] = ids;
  expect((await waitForEnd(owner, id)).columns).toEqual([{ version: 3, model: null }]);
  expect((await publish(owner, persona_id, 3)).status).toBe(200);
  expect(await countRuns(gated)).toBe(1);
});

it("gate counts no run that began before an item was added, changed or deleted", async () => {
  const gated = await createGated();
  const { owner, persona_id, set_id } = gated;
  expect((await publishTested(gated, 3)).status).toBe(200);
  const path = `/v1/test-sets/${set_id}/items`;
  const lock = await findItem(gated, "How do I pick a lock?");
  expect((await owner.patch(`${path}/${lock}`, { expectations: [{ type: "contains", text: "help" }] })).status).toBe(
    200,
  );
  expect((await publishTested(gated, 3)).status).toBe(200);
  await owner.post(path, { items: [{ question: "Is it new?" }] });
  expect((await publishTested(gated, 3)).status).toBe(200);
  expect((await owner.delete(`${path}/${lock}`)).status).toBe(204);
  expect((await publishTested(gated, 3)).status).toBe(200);
  expect((await publish(owner, persona_id, 3)).status).toBe(200);
});

it("gate requires items, costs and latency, of which an unknown one is not reached", async () => {
  const gated = await createGated({ min_score: 0.1 });
  const { admin, owner, persona_id, set_id } = gated;
  const cost = await findItem(gated, "What does it cost?");
  const put = (gate: object) => admin.request("PUT", `/v1/personas/${persona_id}/gate`, { set_id, ...gate });
  expect((await publishTested(gated, 2)).status).toBe(200);
  await put({ required_item_ids: [cost, cost] });
  const missed = (await publish(owner, persona_id, 2)).body.gate;
  expect(missed).toMatchObject({ reason: "failed", failed: [], item_ids: [cost] });
  await put({ max_cost_usd: 0.000001, max_latency_ms: 1 });
  const [price, latency] = (await publish(owner, persona_id, 2)).body.gate.failed;
  expect(price).toMatchObject({ threshold: "max_cost_usd", measured: expect.any(Number) });
  expect(price.measured).toBeGreaterThan(price.required);
  expect(latency).toMatchObject({ threshold: "max_latency_ms", required: 1 });
  await put({ max_cost_usd: 1, max_latency_ms: 60_000 });
  expect((await publish(owner, persona_id, 2)).status).toBe(200);
  await admin.post("/v1/models", { name: "free", model_id: "free" });
  const { body } = await owner.patch(`/v1/personas/${persona_id}`, { model: "free", publish: false });
  const unknown = await publishTested(gated, body.latest_version);
  expect(unknown.body.gate.failed).toEqual([{ threshold: "max_cost_usd", required: 1, measured: null }]);
});

it("gate is overridden by administrators alone, with a reason that the audit trail has", async () => {
  const gated = await createGated();
  const { admin, owner, persona_id } = gated;
  const stopped = await publishTested(gated, 2);
  const body = { percent: 10, override_reason: "The price is to be hidden" };
  const refused = await publish(owner, persona_id, 2, body);
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
  expect((await publish(admin, persona_id, 2, { ...body, override_reason: "" })).status).toBe(400);
  const overridden = await publish(admin, persona_id, 2, body);
  expect([overridden.status, overridden.body.rollouts[0].version]).toEqual([200, 2]);
  // A reason that is not needed is not recorded.
  expect((await publishTested(gated, 3)).status).toBe(200);
  expect((await publish(admin, persona_id, 3, { override_reason: "Again" })).status).toBe(200);
  const events = await waitForAuditEvents(admin, persona_id, ["persona.created", "persona.version_published"]);
  const overrideOf = ({ details }: (typeof events)[number]) =>
    (details.after as { gate_override?: object | null } | undefined)?.gate_override;
  const [event, ...others] = events.filter(overrideOf);
  expect(others).toEqual([]);
  expect([event?.action, event?.actor.id]).toEqual(["persona.version_published", admin.identity.user]);
  const { reason, run_id, failed, item_ids } = stopped.body.gate;
  expect(event && overrideOf(event)).toEqual({
    ...{ version: 2, override_reason: body.override_reason, at: expect.any(String) },
    ...{ reason, run_id, failed, item_ids },
  });
});

it("gate whose test set was deleted stops publications with what to do until an administrator changes it", async () => {
  const gated = await createGated();
  const { admin, owner, persona_id, set_id } = gated;
  expect((await owner.delete(`/v1/test-sets/${set_id}`)).status).toBe(204);
  const stopped = await publish(owner, persona_id, 3);
  expect([stopped.status, stopped.body.gate.reason]).toEqual([409, "set_deleted"]);
  expect(stopped.body.detail).toContain("An administrator has to set another gate, delete it, or override it.");
  const path = `/v1/personas/${persona_id}/gate`;
  expect((await owner.delete(path)).status).toBe(403);
  expect((await owner.request("PUT", path, { set_id, min_score: 0 })).status).toBe(403);
  expect((await admin.delete(path)).status).toBe(204);
  expect((await admin.delete(path)).status).toBe(404);
  expect((await publish(owner, persona_id, 3)).status).toBe(200);
});

it("gate names a set and items of its persona and at least one threshold, and is shown to those who manage the persona", async () => {
  const gated = await createGated();
  const { admin, owner, persona_id, set_id } = gated;
  const other = await createTestSet(owner, items, { visibility: "org" });
  const put = (body: object) => admin.request("PUT", `/v1/personas/${persona_id}/gate`, body);
  for (const [body, at] of [
    [{ set_id: other.set_id, min_score: 1 }, "set_id"],
    [{ set_id, required_item_ids: [crypto.randomUUID()] }, "required_item_ids.0"],
    [{ set_id }, ""],
    [{ set_id, min_score: 1.1 }, "min_score"],
  ] as const) {
    const { status, body: problem } = await put(body);
    expect([status, problem.errors?.[0]?.path ?? ""]).toEqual([400, at]);
  }
  const { body } = await owner.patch(`/v1/personas/${persona_id}`, { visibility: "org" });
  const gate = { set_id, min_score: 0.9, required_item_ids: [], max_cost_usd: null, max_latency_ms: null };
  expect(body.gate).toEqual(gate);
  const reader = await createColleague(admin);
  expect((await reader.get(`/v1/personas/${persona_id}`)).body.gate).toBe(null);
  expect((await reader.request("PUT", `/v1/personas/${persona_id}/gate`, gate)).status).toBe(403);
});
