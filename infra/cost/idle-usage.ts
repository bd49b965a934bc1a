import { resourcesOf, type StackTemplate } from "../limits.ts";
import type { Quantities } from "./compute-cost.ts";
import { initDuration } from "./init.ts";
import type { PriceName } from "./prices.ts";

const SECONDS_PER_MONTH = 30.4 * 86_400;

/**
 * Long polls that Lambda keeps open at an idle queue, and their length. AWS documents that it starts with five concurrent
 * batches.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const [POLLERS_PER_QUEUE, POLL_SECONDS] = [5, 20];

/** INIT of functions behind API Gateway, and of others, when an invocation starts an execution environment. */
const [apiInit, otherInit] = [initDuration(1_024, 1), initDuration(256, 1)];

/**
 * Quantities of one run of the probe, computed and not measured. With a key, it asks a question that is answered in two
 * seconds: a turn of that length as `docs/guides/costs.md` records it, two requests of the REST API, the function that asks,
 * and the deletion. Without one, it requests `/health`. All invocations start an execution environment, as they do where
 * nothing else is asked.
 */
const probeRuns: Readonly<Record<"chat" | "health", Quantities>> = {
  chat: {
    tableRead: 11,
    tableWrite: 18,
    invocation: 7,
    duration: 1.2 + 2 * apiInit + 5 * otherInit,
    gatewayRequest: 2,
    edgeRequest: 3,
    edgeFunction: 3,
    log: 5_000,
    queueRequest: 6,
  },
  health: {
    tableRead: 1,
    invocation: 2,
    duration: 0.2 + apiInit + otherInit,
    gatewayRequest: 1,
    edgeRequest: 1,
    edgeFunction: 1,
    log: 2_000,
  },
};

/**
 * Quantities of one call of the function that starts due schedules, of which there are none: a query that finds nothing, and the
 * duration that a warm call has with the local table. It is called too often for a new execution environment.
 */
const scheduleCheck: Quantities = { tableRead: 0.5, invocation: 1, duration: 0.02 * 0.25 };

interface AlarmMetrics {
  readonly Metrics?: readonly { readonly MetricStat?: object }[];
}

/** Multiplies quantities. */
const times = (quantities: Quantities, factor: number): Quantities =>
  Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, quantity * factor]));

/** Returns what the probe consumes in a month; nothing unless its function exists. */
function probeUsage(templates: readonly StackTemplate[]): Quantities {
  const keys = resourcesOf(templates, "AWS::Lambda::Function").flatMap(({ Properties }) => {
    const key = Properties.Environment?.Variables?.PROBE_KEY;
    return key === undefined ? [] : [String(key)];
  });
  const intervals = resourcesOf(templates, "AWS::Events::Rule").flatMap(({ Properties }) => {
    const minutes = /^rate\((\d+) minutes\)$/.exec(String(Properties.ScheduleExpression))?.[1];
    return minutes === undefined ? [] : [Number(minutes) * 60];
  });
  const [key] = keys;
  const [seconds = Infinity] = intervals;
  const run = key === undefined ? {} : probeRuns[key === "" ? "health" : "chat"];
  return times(run, SECONDS_PER_MONTH / seconds);
}

/** Returns what the function that starts due schedules consumes in a month without any. */
function scheduleUsage(templates: readonly StackTemplate[]): Quantities {
  const rules = resourcesOf(templates, "AWS::Events::Rule").filter(
    ({ Properties }) => Properties.ScheduleExpression === "rate(1 minute)",
  );
  return times(scheduleCheck, (rules.length * SECONDS_PER_MONTH) / 60);
}

/** Adds quantities of two parts. */
const add = (one: Quantities, other: Quantities): Quantities =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)] as PriceName[])].map((name) => [
      name,
      (one[name] ?? 0) + (other[name] ?? 0),
    ]),
  );

/**
 * Returns what a deployment consumes in a month without requests of users.
 * @param namedSecrets number of secrets that the settings name, in addition to those of the templates
 */
export function idleUsage(templates: readonly StackTemplate[], namedSecrets = 0): Quantities {
  const queueFeeds = resourcesOf(templates, "AWS::Lambda::EventSourceMapping").filter(({ Properties }) =>
    JSON.stringify(Properties.EventSourceArn).includes("Queue"),
  );
  // An alarm on an expression costs as much as one alarm for each of its metrics.
  const alarmMetrics = resourcesOf(templates, "AWS::CloudWatch::Alarm").map(
    ({ Properties }) =>
      (Properties as AlarmMetrics).Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1,
  );
  const acls = resourcesOf(templates, "AWS::WAFv2::WebACL");
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const polls = Math.round((queueFeeds.length * POLLERS_PER_QUEUE * SECONDS_PER_MONTH) / POLL_SECONDS);
  const scheduled = add(probeUsage(templates), scheduleUsage(templates));
  return {
    ...scheduled,
    alarmMetric: sum(alarmMetrics),
    dashboard: resourcesOf(templates, "AWS::CloudWatch::Dashboard").length,
    secret: resourcesOf(templates, "AWS::SecretsManager::Secret").length + namedSecrets,
    acl: acls.length,
    aclRule: sum(acls.map(({ Properties }) => Properties.Rules.length)),
    customerKey: resourcesOf(templates, "AWS::KMS::Key").length,
    queueRequest: polls + (scheduled.queueRequest ?? 0),
    streamRead: 0,
  };
}
