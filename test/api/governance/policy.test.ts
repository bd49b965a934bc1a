import { expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { getPolicyRules, setPolicy } from "#test/support/governance/policy.ts";
import { countStatuses, createColleague } from "#test/support/people.ts";

const getPolicy = (client: Client) => client.get("/v1/policy");
const replacePolicy = (client: Client, body: unknown, etag?: string) =>
  client.request("PUT", "/v1/policy", body, etag === undefined ? {} : { "if-match": etag });

it("policy of a tenant has version 0 before it is first set", async () => {
  const { status, body, headers } = await getPolicy(new Client());
  expect([status, headers.get("etag")]).toEqual([200, '"0"']);
  expect(body).toMatchObject({ version: 0, updated_at: null, updated_by: null, banner: null });
  expect(body.approvals.data_access).toBe("always");
});

it("policy of a tenant is replaced by a request whose If-Match names the current version", async () => {
  const admin = new Client();
  const rules = await getPolicyRules(admin, { retention: { conversation_days: 30 } });
  const first = await replacePolicy(admin, rules, '"0"');
  expect([first.status, first.headers.get("etag")]).toEqual([200, '"1"']);
  expect(first.body).toEqual({
    ...rules,
    version: 1,
    updated_at: expect.any(String),
    updated_by: admin.identity.user,
  });
  expect((await getPolicy(await createColleague(admin, "viewer"))).body).toEqual(first.body);
  expect((await replacePolicy(admin, { ...rules, banner: { text: "Hello", level: "info" } }, '"7", "1"')).status).toBe(
    200,
  );
  expect((await replacePolicy(admin, rules, "*")).body.version).toBe(3);
});

it("policy of a tenant can be replaced by the body of GET in which one field was changed", async () => {
  const admin = new Client();
  await setPolicy(admin, { memory: { enabled: false } });
  const { body, headers } = await getPolicy(admin);
  const changed = await replacePolicy(
    admin,
    { ...body, export: { allowed: false, formats: [] } },
    headers.get("etag") ?? "",
  );
  expect(changed.status).toBe(200);
  expect(changed.body).toMatchObject({ version: 2, memory: { enabled: false }, export: { allowed: false } });
});

it("policy of a tenant keeps its current guardrail actions where a replacement omits them", async () => {
  const admin = new Client();
  const { guardrails, ...rules } = await getPolicyRules(admin);
  const actions = { injection: { question: "block" } };
  const first = await replacePolicy(admin, { ...rules, guardrails: { actions } }, '"0"');
  expect(first.body.guardrails).toEqual({
    ...guardrails,
    actions: { ...guardrails?.actions, injection: { ...guardrails?.actions.injection, question: "block" } },
  });
  const second = await replacePolicy(admin, rules, '"1"');
  expect(second.body.guardrails).toEqual(first.body.guardrails);
});

it("policy of a tenant cannot be replaced without If-Match (428) or with an outdated version (412)", async () => {
  const admin = new Client();
  const rules = await getPolicyRules(admin);
  expect((await replacePolicy(admin, rules)).body).toMatchObject({ status: 428, code: "precondition_required" });
  for (const etag of ['"1"', 'W/"0"', "0", '""']) {
    expect((await replacePolicy(admin, rules, etag)).body).toMatchObject({
      status: 412,
      code: "precondition_failed",
    });
  }
  expect((await getPolicy(admin)).body.version).toBe(0);
});

it("policy of a tenant is replaced by one of 20 concurrent requests for the same version, and the others get 412", async () => {
  const admin = new Client();
  const rules = await getPolicyRules(admin);
  expect(await countStatuses(20, () => replacePolicy(admin, rules, '"0"'))).toEqual(
    new Map([
      [200, 1],
      [412, 19],
    ]),
  );
  expect(await countStatuses(20, () => replacePolicy(admin, rules, '"1"'))).toEqual(
    new Map([
      [200, 1],
      [412, 19],
    ]),
  );
  expect((await getPolicy(admin)).body.version).toBe(2);
});

it("policy of a tenant is rejected with the path of the invalid field", async () => {
  const admin = new Client();
  const rules = await getPolicyRules(admin);
  const invalidChanges: [string, unknown][] = [
    ["classification.default", { classification: { levels: ["a", "b"], default: "c" } }],
    ["classification.levels", { classification: { levels: ["a", "a"], default: "a" } }],
    ["retention.conversation_days", { retention: { conversation_days: 0 } }],
    ["retention.conversation_days", { retention: { conversation_days: 1.5 } }],
    ["export.formats.0", { export: { allowed: true, formats: ["pdf"] } }],
    ["approvals.share_link", { approvals: { ...rules.approvals, share_link: "sometimes" } }],
    ["banner.text", { banner: { text: "", level: "info" } }],
    ["memory.enabled", { memory: {} }],
    ["guardrails.actions.injection.question", { guardrails: { actions: { injection: { question: "report" } } } }],
    ["guardrails.allowed_link_hosts.0", { guardrails: { allowed_link_hosts: ["https://wiki.example.com/"] } }],
    ["guardrails.disabled_rules.1", { guardrails: { disabled_rules: ["insult", "insults"] } }],
    ["guardrails.actions.spam", { guardrails: { actions: { spam: {} } } }],
    ["retention_days", { retention_days: 3 }],
  ];
  for (const [path, change] of invalidChanges) {
    const { status, body } = await replacePolicy(admin, { ...rules, ...(change as object) }, '"0"');
    expect([status, body.errors.map((error: { path: string }) => error.path)]).toEqual([400, [path]]);
  }
  const { memory: _, ...incomplete } = rules;
  expect((await replacePolicy(admin, incomplete, '"0"')).status).toBe(400);
});

it("policy of a tenant can be changed with the permission policy.manage and applies to its tenant only", async () => {
  const admin = new Client();
  const rules = await getPolicyRules(admin);
  expect((await replacePolicy(await createColleague(admin), rules, '"0"')).status).toBe(403);
  await setPolicy(admin, { banner: { text: "Ours", level: "critical" } });
  expect((await getPolicy(new Client())).body.banner).toBe(null);
});

it("banner and classification of a tenant's policy are returned by /v1/receptor, and the banner is a warning in the chat", async () => {
  const admin = new Client();
  const banner = { text: "No customer data, please.", level: "warning" } as const;
  await setPolicy(admin, { banner, classification: { levels: ["open", "secret"], default: "secret" } });
  expect((await admin.get("/v1/receptor")).body.policy).toEqual({
    banner,
    classification: { levels: ["open", "secret"], default: "secret" },
  });
  const frames = await admin.chat({
    conversation_id: await admin.createConversation(),
    content: "Hi",
    tier: "QUICK",
  });
  const warnings = frames.filter(({ event }) => event === "preflight_warning").map(({ data }) => data);
  expect(warnings).toContainEqual({ code: "policy_banner", message: banner.text });
});
