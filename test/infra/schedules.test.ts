import { afterEach, expect, it, vi } from "vitest";
import { schedules } from "../../functions/schedules.ts";
import { listEntryPoints } from "../../infra/bundle/entry-points.ts";
import type { Deployment } from "../../infra/local/assembly/deployment.ts";
import { startSchedules } from "../../infra/local/event-sources/schedules.ts";
import type { FunctionHost } from "../../infra/local/functions/function-host.ts";
import { scheduledEntryPoint } from "../../infra/naming.ts";
import { resourcesOf, synthesize, type Templates } from "./synthesize.ts";

const probe = {
  PROBE_URL: "https://assistant.example.com",
  PROBE_KEY: "{{resolve:secretsmanager:probe-key:SecretString}}",
  PROBE_PERSONA_ID: "p1",
};

/** Ids of a streamed route and another one. */
const routeIds = ["startChat", "getUsage"];

function synthesizeWith(settings: Readonly<Record<string, string>>): Templates {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  return synthesize({ routeIds });
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

it("scheduled functions are declared in functions/schedules.ts, each with a file", () => {
  const { scheduled } = listEntryPoints(process.cwd());
  expect(scheduled).toEqual(Object.keys(schedules).map(scheduledEntryPoint).toSorted());
});

it.each([
  ["prod", {}, 2],
  ["prod", { PROBE: "off" }, 1],
  ["dev", {}, 1],
  ["dev", { PROBE: "on" }, 2],
  ["dev", { PROBE_KEY: probe.PROBE_KEY, PROBE_PERSONA_ID: "p1" }, 2],
])("scheduled functions of the stage %s with %j are %i", (stage, settings, count) => {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const templates = synthesize({ routeIds, stage });
  const rules = resourcesOf(templates, "AWS::Events::Rule").filter(({ Properties }) => Properties.ScheduleExpression);
  expect(rules).toHaveLength(count);
});

it.each([
  ["the address of CloudFront", {}, { "Fn::GetStackOutput": expect.objectContaining({ OutputName: "BaseUrl" }) }],
  [
    "its own domain",
    { domain: "chat.example.com,acme.example.com", certificate: "arn:aws:acm:us-east-1:111122223333:certificate/1" },
    "https://chat.example.com",
  ],
])("probe of a deployment asks at %s without a setting", (_, context, address) => {
  const templates = synthesize({ routeIds, options: context });
  const variables = resourcesOf(templates, "AWS::Lambda::Function").map(
    (each) => each.Properties.Environment?.Variables,
  );
  expect(variables.find((each) => each?.PROBE_URL !== undefined)).toMatchObject({ PROBE_URL: address, PROBE_KEY: "" });
});

it("scheduled functions are called by a rule that repeats no failed call, and may read only their secret", () => {
  const templates = synthesizeWith(probe);
  const [rule] = resourcesOf(templates, "AWS::Events::Rule").filter((each) =>
    String(each.Properties.Name).includes("probe"),
  );
  expect(rule?.Properties).toMatchObject({
    Name: "switchboard-prod-probe-chat",
    ScheduleExpression: "rate(5 minutes)",
    Targets: [{ RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 0 } }],
  });
  const stack = [...templates].find(([file]) => file.includes("schedules"))?.[1] ?? {};
  const types = (type: string) =>
    Object.entries(stack).flatMap(([id, each]) => (each.Type === type && id.startsWith("ProbeChat") ? [each] : []));
  const [role] = types("AWS::IAM::Role");
  const actions = role?.Properties.Policies[0].PolicyDocument.Statement.map(
    ({ Action }: { Action: unknown }) => Action,
  );
  expect(actions).toEqual(["secretsmanager:GetSecretValue", ["logs:CreateLogStream", "logs:PutLogEvents"]]);
  expect(types("AWS::Lambda::Permission")[0]?.Properties.Principal).toBe("events.amazonaws.com");
});

it.each([
  ["a part of the settings", { PROBE_PERSONA_ID: "p1" }, "require each other"],
  ["a key in plain text", { ...probe, PROBE_KEY: "swk_1" }, "PROBE_KEY must be a dynamic reference"],
])("scheduled functions are refused at synthesis with %s", (_, settings, message) => {
  expect(() => synthesizeWith(settings)).toThrow(message);
});

it("scheduled functions run in the local runner whenever its clock has advanced by their interval", () => {
  vi.useFakeTimers();
  const rules = resourcesOf(synthesizeWith(probe), "AWS::Events::Rule")
    .filter((rule) => rule.Properties.ScheduleExpression === "rate(5 minutes)")
    .map((rule) => ({
      attributes: { Arn: "rule" },
      properties: { ...rule.Properties, Targets: [{ Arn: "probe" }] },
    }));
  const deployment = { resources: (type: string) => (type === "AWS::Events::Rule" ? rules : []) };
  const invoke = vi.fn(async () => ({}));
  const host = { find: (arn: string) => (arn === "probe" ? { name: "probe" } : undefined), invoke };
  const stop = startSchedules(deployment as unknown as Deployment, host as unknown as FunctionHost);
  vi.advanceTimersByTime(1_000);
  expect(invoke).toHaveBeenCalledTimes(0);
  // The clock jumps, as that of an instance whose clock a test moves.
  for (const calls of [1, 2]) {
    vi.setSystemTime(Date.now() + 5 * 60_000);
    vi.advanceTimersByTime(1_000);
    expect(invoke).toHaveBeenCalledTimes(calls);
  }
  stop();
});
