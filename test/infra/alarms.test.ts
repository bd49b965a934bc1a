import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { type AlarmProperties, isRaised } from "#test/support/alarms/evaluate-alarm.ts";
import type { MetricPoint } from "#test/support/alarms/metric-points.ts";
import { allEntries, resourcesOf, synthesize, type Templates } from "./synthesize.ts";

vi.stubEnv("PROBE", "off");
const templates = synthesize();
vi.unstubAllEnvs();
/** Ids of a few routes, where their number changes nothing. */
const routeIds = ["startChat", "listFolders"];
const alarmsOf = (of: Templates) =>
  resourcesOf(of, "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties as AlarmProperties);
const alarms = alarmsOf(templates);

/** Returns the names of the alarms that periods of five minutes raise, without the prefix of the stage. */
const raisedBy = (periods: readonly (readonly MetricPoint[])[], candidates = alarms) =>
  candidates
    .filter((alarm) => isRaised(alarm, periods))
    .map(({ AlarmName }) => AlarmName.replace("switchboard-prod-", ""));

const own = (name: string, value: number, dimensions = {}): MetricPoint => ({
  namespace: "Switchboard",
  name,
  dimensions: { stage: "prod", ...dimensions },
  value,
});
const aws = (service: string, name: string, value: number, dimensions = {}): MetricPoint => ({
  namespace: `AWS/${service}`,
  name,
  dimensions,
  value,
});
const onApi = { ApiName: "switchboard-prod-api" };
const onTable = { TableName: "switchboard-prod-table" };
const onFunction = (name: string) => ({ FunctionName: `switchboard-prod-${name}` });
const onQueue = (name: string) => ({ QueueName: `switchboard-prod-${name}` });

/** Requests and chats of a period, of which some failed. */
const requests = (all: number, failed = 0) => [
  aws("ApiGateway", "Count", all, onApi),
  aws("ApiGateway", "5XXError", failed, onApi),
];
const chats = (all: number, failed = 0) => [
  own("runs", all),
  own("failed_runs", failed),
  own("time_to_first_token_ms", 900),
];
const refusedChats = (count: number) => [
  own("failed_streams", count),
  own("failed_streams", count, { operation: "startChat" }),
];
const healthy = (operations: number) => [
  ...requests(operations),
  ...chats(operations),
  own("processor_lag_ms", 1_500),
  own("cost_usd", operations * 0.001),
  aws("Lambda", "Errors", 0, onFunction("start-chat")),
  aws("Lambda", "Throttles", 0, onFunction("start-chat")),
  aws("SQS", "ApproximateNumberOfMessagesVisible", 0, onQueue("faults")),
];
const lasting = (points: MetricPoint[], minutes: number): MetricPoint[][] => Array(minutes / 5).fill(points);

it.each([
  [1, 7],
  [10, 1],
  [1_000, 1],
])(
  "alarms of a deployment are not raised by %i healthy operations per five minutes on %i days, at least 2,000",
  (operations, days) => {
    const periods = lasting(healthy(operations), days * 24 * 60);
    expect(periods.length * operations).toBeGreaterThan(2_000);
    expect(raisedBy(periods)).toEqual([]);
  },
);

const scenarios: readonly (readonly [scenario: string, alarm: string, periods: readonly MetricPoint[][]])[] = [
  ["one chat in a quarter of an hour fails", "chat-outage", [chats(1, 1)]],
  ["one chat in a quarter of an hour is refused", "chat-outage", [refusedChats(1)]],
  ["nine chats fail in five minutes", "chat-outage", [chats(9, 9)]],
  ["nine of ten chats fail, and the first succeeds", "failed-runs", [chats(10, 9)]],
  ["9 % of 1,000 chats in five minutes fail for an hour", "failed-runs", lasting(chats(1_000, 90), 60)],
  ["4 % of 1,000 chats in five minutes fail for six hours", "failed-runs-slow", lasting(chats(1_000, 40), 360)],
  ["nine chats are refused in five minutes", "stream-errors", [[...refusedChats(9), ...chats(20)]]],
  ["each of twelve requests in an hour fails", "api-errors", lasting(requests(1, 1), 60)],
  ["2 % of 1,000 requests in five minutes fail for an hour", "api-errors", lasting(requests(1_000, 20), 60)],
  ["1 % of 1,000 requests in five minutes fail for six hours", "api-errors-slow", lasting(requests(1_000, 10), 360)],
  ["one request in five minutes is not counted", "limiter-failures", lasting([own("rate_limiter_failed", 1)], 15)],
  [
    "six completions crash in each five minutes",
    "function-errors",
    lasting([aws("Lambda", "Errors", 6, onFunction("create-chat-completion"))], 10),
  ],
  [
    "one answer in five minutes is throttled",
    "function-throttles",
    lasting([aws("Lambda", "Throttles", 1, onFunction("create-response"))], 10),
  ],
  ["one alert is answered with 500", "alert-ingestion", [[own("failed_requests", 1, { operation: "ingestAlert" })]]],
  ["the only chat starts late", "slow-runs", lasting([...chats(1), own("time_to_first_token_ms", 20_000)], 15)],
  ["the only change is old", "changes-lag", lasting([own("processor_lag_ms", 90_000)], 15)],
  [
    "one change is given up",
    "changes-faults",
    [[aws("SQS", "ApproximateNumberOfMessagesVisible", 1, onQueue("stream-failures"))]],
  ],
  [
    "one file cannot be read",
    "failed-jobs",
    [[aws("SQS", "ApproximateNumberOfMessagesVisible", 1, onQueue("file-faults"))]],
  ],
  [
    "the only export waits for 21 minutes",
    "job-backlog",
    lasting([aws("SQS", "ApproximateAgeOfOldestMessage", 1_260, onQueue("build-export"))], 10),
  ],
  ["one key set is not fetched", "key-set-failures", lasting([own("key_set_unavailable", 1)], 10)],
  ["one call of the model is refused", "model-credential", [[own("model_credential_rejected", 1)]]],
  [
    "61 of 1,000 calls of the model fail",
    "provider-errors",
    lasting([...chats(1_000), own("provider_errors", 61)], 10),
  ],
  ["one answer costs 21 dollars", "model-cost", lasting([...chats(1), own("cost_usd", 21)], 60)],
  [
    "801 chats are open at the same time",
    "concurrency",
    lasting([aws("Lambda", "ConcurrentExecutions", 801, onFunction("start-chat"))], 10),
  ],
  [
    "the function that starts schedules crashes once",
    "scheduled-functions",
    [[aws("Lambda", "Errors", 1, onFunction("start-due-schedules"))]],
  ],
  [
    "eleven writes are throttled",
    "table-throttles",
    lasting([aws("DynamoDB", "WriteThrottleEvents", 11, onTable)], 15),
  ],
];

it.each(scenarios)("alarms of a deployment are raised when %s", (_, alarm, periods) => {
  expect(raisedBy(periods)).toContain(alarm);
});

it("alarms of a deployment are each raised by a scenario", () => {
  const names = alarms.map(({ AlarmName }) => AlarmName.replace("switchboard-prod-", ""));
  expect(new Set(scenarios.map(([, alarm]) => alarm))).toEqual(new Set(names));
});

it.each([
  ["one of 200 chats in an hour fails", [chats(200, 1)]],
  ["four of 1,000 requests fail", [requests(1_000, 4)]],
  ["a chat fails and another one succeeds", [chats(2, 1)]],
  ["chats failed an hour ago", [chats(9, 9), ...lasting(chats(1_000), 360)]],
])("alarms of a deployment are not raised when %s", (_, periods) => {
  expect(raisedBy(periods)).toEqual([]);
});

it("alarms of a deployment are not raised by functions of another stage or application in the account", () => {
  const strangers = [{}, { FunctionName: "switchboard-west-start-chat" }, { FunctionName: "other" }];
  const busy = strangers.flatMap((dimensions) => [
    aws("Lambda", "Errors", 1_000, dimensions),
    aws("Lambda", "Throttles", 1_000, dimensions),
    aws("Lambda", "ConcurrentExecutions", 1_000, dimensions),
  ]);
  expect(raisedBy(lasting(busy, 60))).toEqual([]);
});

it("alarm concurrency is raised at 80 % of the concurrency that is reserved for chats", () => {
  vi.stubEnv("CONCURRENCY_QUOTA", "1000");
  vi.stubEnv("PROBE", "off");
  const reserved = alarmsOf(synthesize({ routeIds }));
  vi.unstubAllEnvs();
  const open = (count: number) => lasting([aws("Lambda", "ConcurrentExecutions", count, onFunction("start-chat"))], 10);
  expect([raisedBy(open(321), reserved), raisedBy(open(320), reserved)]).toEqual([["concurrency"], []]);
});

it.each([
  ["three probes in a row fail", lasting([own("failed_probes", 1)], 15), ["chat-probe"]],
  ["no probe reports for 15 minutes", lasting([], 15), ["chat-probe"]],
  [
    "a probe reports nothing, and the two before failed",
    [...lasting([own("failed_probes", 1)], 10), []],
    ["chat-probe"],
  ],
  ["two probes fail between others", [...lasting([own("failed_probes", 1)], 10), [own("failed_probes", 0)]], []],
  ["all probes succeed", lasting([own("failed_probes", 0)], 60), []],
  [
    "one run of the probe crashes between others",
    [
      ...lasting([own("failed_probes", 0)], 10),
      [own("failed_probes", 0), aws("Lambda", "Errors", 1, onFunction("probe-chat"))],
    ],
    ["scheduled-functions"],
  ],
  [
    "each run of the probe crashes, for one period",
    [...lasting([own("failed_probes", 0)], 15), [aws("Lambda", "Errors", 1, onFunction("probe-chat"))]],
    ["scheduled-functions"],
  ],
])(
  "alarms of the chat probe are raised by lasting failures, missing reports and crashes only: %s",
  (_, periods, expected) => {
    const withProbe = alarmsOf(synthesize({ routeIds, entries: allEntries }));
    expect(withProbe.length).toBe(alarms.length + 1);
    expect(raisedBy(periods, withProbe)).toEqual(expected);
  },
);

it("alarms of a deployment send a message when they are raised and when they clear", () => {
  for (const { Properties } of resourcesOf(templates, "AWS::CloudWatch::Alarm")) {
    expect(Properties.OKActions).toEqual(Properties.AlarmActions);
    expect(Properties.AlarmActions).toHaveLength(1);
  }
});

it("saved query of a deployment finds the lines of the change feed, whose requests are in a list, and needs no list of log groups", () => {
  const [query, ...others] = resourcesOf(templates, "AWS::Logs::QueryDefinition");
  expect(others).toEqual([]);
  expect(query?.Properties).toEqual({ Name: "switchboard-prod-request", QueryString: expect.any(String) });
  const [, pattern] = /^\| filter @message like '(.*)'$/m.exec(query?.Properties.QueryString) ?? [];
  // The guide names the text to replace.
  expect(readFileSync("docs/guides/operations.md", "utf8")).toContain(`replace \`${pattern}\``);
});

it("alarms of a deployment include a budget of the account only if MONTHLY_BUDGET_USD is set", () => {
  expect(resourcesOf(templates, "AWS::Budgets::Budget")).toEqual([]);
  vi.stubEnv("MONTHLY_BUDGET_USD", "250");
  const [budget] = resourcesOf(synthesize({ routeIds }), "AWS::Budgets::Budget");
  expect(budget?.Properties.Budget).toMatchObject({ BudgetLimit: { Amount: 250, Unit: "USD" }, TimeUnit: "MONTHLY" });
  vi.stubEnv("MONTHLY_BUDGET_USD", "much");
  expect(() => synthesize()).toThrow("MONTHLY_BUDGET_USD: must be a positive integer");
  vi.unstubAllEnvs();
});
