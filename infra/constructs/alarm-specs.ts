import { Duration } from "aws-cdk-lib";
import { type IMetric, type Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { enabledSchedules } from "../../functions/schedules.ts";
import type { Config } from "../config.ts";
import { kebabCase } from "../naming.ts";
import { resourceName, type StackContext } from "../stack-context.ts";
import { burnRate, combineMetrics, failuresWithoutSuccess, metric, serviceMetric, sumWithout } from "./metrics.ts";

export type AlarmThresholds = NonNullable<Config["alarms"]>;

/** Lambda's concurrency quota in most accounts. */
const DEFAULT_CONCURRENCY_QUOTA = 1_000;

/**
 * Windows of the burn-rate alarms for an objective over 30 days. An alarm is raised if failures are `multiple` times as
 * frequent as the objective allows: the fast one at 2 % of the error budget within an hour, the slow one at 5 % within six
 * hours. With an objective of 99.9 %, these are 1.44 % and 0.6 % failures.
 * @see https://sre.google/workbook/alerting-on-slos/
 */
const burnWindows = { fast: { hours: 1, multiple: 14.4 }, slow: { hours: 6, multiple: 6 } } as const;

/**
 * Returns the address of an alarm's runbook: a page of the deployment if it has a domain, otherwise a file of the repository.
 */
export function runbookOf(name: string, { config }: StackContext): string {
  const page = config.domain ? `https://${config.domain.name}/docs/guides/runbooks` : "docs/runbooks.md";
  return `${page}#${name}`;
}

/** Definition of an alarm. `docs/runbooks.md` has a section for each, under its name. */
interface AlarmSpec {
  readonly description: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** Number of consecutive periods above the threshold that raise the alarm. */
  readonly periods: number;
  /** True if a period without data counts as one above the threshold. */
  readonly needsData?: boolean;
}

/**
 * Returns the definitions of all alarms by name. Each alarm means that users are affected or soon will be.
 * `ObservabilityStack` creates the alarms, which notify the subscribers of its SNS topic.
 */
export function alarmSpecs(context: StackContext, thresholds: AlarmThresholds): Record<string, AlarmSpec> {
  return {
    ...requestAlarms(context, thresholds),
    ...modelAlarms(context, thresholds),
    ...capacityAlarms(context, thresholds),
    ...(context.config.hasProbe && probeAlarms(context)),
    ...scheduleAlarms(context),
    ...(context.bundle.processors.length > 0 && changeAlarms(context, thresholds)),
  };
}

/** Returns the alarm for failures that use up the error budget of an objective too fast. */
function burnAlarm(
  [failures, all]: readonly [Metric, Metric],
  objectivePercent: number,
  { hours, multiple }: (typeof burnWindows)[keyof typeof burnWindows],
  subject: string,
): AlarmSpec {
  return {
    description: `${subject} fail ${multiple} times as often as the objective of ${objectivePercent} % allows, over ${hours} h.`,
    metric: burnRate(failures, all, { objectivePercent, period: Duration.hours(hours) }),
    threshold: multiple,
    periods: 1,
  };
}

function requestAlarms(context: StackContext, { objectives }: AlarmThresholds): Record<string, AlarmSpec> {
  const api = { ApiName: resourceName(context, "api") };
  const responses = [metric("AWS/ApiGateway", "5XXError", api), metric("AWS/ApiGateway", "Count", api)] as const;
  return {
    ApiErrors: burnAlarm(responses, objectives.apiPercent, burnWindows.fast, "Requests of the API"),
    ApiErrorsSlow: burnAlarm(responses, objectives.apiPercent, burnWindows.slow, "Requests of the API"),
    StreamErrors: {
      // The metrics of function URLs would cost an alarm for each function. Crashes are covered by `FunctionErrors`.
      description: "Streaming functions respond with 5xx, so users get no answer.",
      metric: serviceMetric("failed_streams", context),
      threshold: 4,
      periods: 1,
    },
    AlertIngestion: {
      description: "Alerts of monitoring tools are answered with 5xx and may be lost.",
      metric: serviceMetric("failed_requests", context, { dimensions: { operation: "ingestAlert" } }),
      threshold: 0,
      periods: 1,
    },
    LimiterFailures: {
      description: "Rate limits are not enforced because counting requests fails.",
      metric: serviceMetric("rate_limiter_failed", context),
      threshold: 0,
      periods: 3,
    },
    KeySetFailures: {
      description:
        "The keys of the identity provider cannot be fetched. Users are locked out when the last keys expire.",
      metric: serviceMetric("key_set_unavailable", context),
      threshold: 0,
      periods: 2,
    },
  };
}

/** Returns the alarms for answers that fail although the HTTP status is 200, because the stream had already begun. */
function modelAlarms(context: StackContext, thresholds: AlarmThresholds): Record<string, AlarmSpec> {
  const [failed, all] = [serviceMetric("failed_runs", context), serviceMetric("runs", context)];
  const refused = serviceMetric("failed_streams", context, { dimensions: { operation: "startChat" } });
  const { chatPercent } = thresholds.objectives;
  return {
    ChatOutage: {
      // Works with one chat in a quarter of an hour, of which no rate can be computed.
      description: "A chat failed, and none has succeeded for 15 minutes.",
      metric: failuresWithoutSuccess({ failed, all, refused }, Duration.minutes(15)),
      threshold: 0,
      periods: 1,
    },
    FailedRuns: burnAlarm([failed, all], chatPercent, burnWindows.fast, "Chat answers"),
    FailedRunsSlow: burnAlarm([failed, all], chatPercent, burnWindows.slow, "Chat answers"),
    SlowRuns: {
      description: `Chat answers start late: the 95th percentile is above ${thresholds.firstTokenSeconds} s.`,
      metric: serviceMetric("time_to_first_token_ms", context, { statistic: Stats.p(95) }),
      threshold: thresholds.firstTokenSeconds * 1_000,
      periods: 3,
    },
    ProviderErrors: {
      description: "Calls of the model provider fail. Each of up to three attempts of an answer counts.",
      metric: serviceMetric("provider_errors", context),
      threshold: 60,
      periods: 2,
    },
    ModelCredential: {
      description: "The model provider rejects the credential or the quota of this service.",
      metric: serviceMetric("model_credential_rejected", context),
      threshold: 0,
      periods: 1,
    },
    ModelCost: {
      description: `Models cost more than ${thresholds.costUsdPerHour} USD an hour.`,
      metric: serviceMetric("cost_usd", context).with({ period: Duration.hours(1) }),
      threshold: thresholds.costUsdPerHour,
      periods: 1,
    },
  };
}

function probeAlarms(context: StackContext): Record<string, AlarmSpec> {
  return {
    ChatProbe: {
      description: "The probe got no answer for 15 minutes, or did not ask.",
      metric: serviceMetric("failed_probes", context),
      threshold: 0,
      periods: 3,
      needsData: true,
    },
  };
}

/** Returns the alarm for scheduled functions, which run too seldom to raise `FunctionErrors`. */
function scheduleAlarms(context: StackContext): Record<string, AlarmSpec> {
  const names = enabledSchedules(context.config).map(([name]) => name);
  const errorsOf = (name: string) => metric("AWS/Lambda", "Errors", { FunctionName: resourceName(context, name) });
  return {
    ScheduledFunctions: {
      description: "A function that runs at regular times crashed or timed out.",
      metric: combineMetrics("SUM", names.map(errorsOf)),
      threshold: 0,
      periods: 1,
    },
  };
}

/** Operations whose answer is a run. The watchdog counts it as failed if its function dies. */
const runOperations: readonly string[] = ["startChat", "sendEmbedMessage"];

/**
 * Returns a metric of Lambda for each function that streams answers. Failures of other functions raise alarms of API
 * Gateway, queues and schedules, so that an alarm does not have to evaluate all functions (decision 0096).
 * @param excluded ids of operations to leave out
 */
function answeringMetrics(
  context: StackContext,
  name: "Errors" | "Throttles",
  excluded: readonly string[] = [],
): Metric[] {
  return context.routes
    .filter(({ id, streaming, method }) => streaming && method === "POST" && !excluded.includes(id))
    .map(({ id }) => metric("AWS/Lambda", name, { FunctionName: resourceName(context, kebabCase(id)) }));
}

function capacityAlarms(context: StackContext, thresholds: AlarmThresholds): Record<string, AlarmSpec> {
  const table = { TableName: resourceName(context, "table") };
  const { reservedConcurrency } = context.config;
  const chats = { FunctionName: resourceName(context, "start-chat") };
  return {
    FunctionErrors: {
      // Streams of the OpenAI-compatible API are cut off on purpose when their model provider breaks them.
      description: "Functions that stream completions crash or time out.",
      metric: sumWithout(
        answeringMetrics(context, "Errors", runOperations),
        serviceMetric("cut_off_streams", context),
        "errors without streams that were cut off",
      ),
      threshold: 4,
      periods: 2,
    },
    FunctionThrottles: {
      description: "Lambda refuses answers, because the account or a function is at its concurrency limit.",
      metric: combineMetrics("SUM", answeringMetrics(context, "Throttles")),
      threshold: 0,
      periods: 2,
    },
    Concurrency: {
      description: "Open chats use more than 80 % of the Lambda concurrency that they can have.",
      metric: metric("AWS/Lambda", "ConcurrentExecutions", chats, Stats.MAXIMUM),
      threshold: 0.8 * (reservedConcurrency.startChat ?? thresholds.concurrencyQuota ?? DEFAULT_CONCURRENCY_QUOTA),
      periods: 2,
    },
    TableThrottles: {
      description: "DynamoDB throttles requests: a partition is hot, or a limit of the account is reached.",
      metric: combineMetrics("SUM", [
        metric("AWS/DynamoDB", "ReadThrottleEvents", table),
        metric("AWS/DynamoDB", "WriteThrottleEvents", table),
      ]),
      threshold: 10,
      periods: 3,
    },
  };
}

function changeAlarms(context: StackContext, thresholds: AlarmThresholds): Record<string, AlarmSpec> {
  return {
    ChangesLag: {
      description: "Stream processors are behind: deletions, search, usage and audit show an old state.",
      // Lambda's `IteratorAge` would cost an alarm for each processor. A processor that cannot start reports no lag; its
      // batches raise `ChangesFaults` after eleven attempts.
      metric: serviceMetric("processor_lag_ms", context, { statistic: Stats.MAXIMUM }),
      threshold: thresholds.changesLagSeconds * 1_000,
      periods: 3,
    },
    ChangesFaults: {
      description: "A change failed after all retries, or Lambda gave up a batch of changes.",
      metric: combineMetrics("MAX", [queueLength(context, "faults"), queueLength(context, "stream-failures")]),
      threshold: 0,
      periods: 1,
    },
    FailedJobs: {
      description: "A job failed after all retries and is in a dead-letter queue.",
      metric: combineMetrics("MAX", [queueLength(context, "failed-jobs"), queueLength(context, "file-faults")]),
      threshold: 0,
      periods: 1,
    },
    JobBacklog: {
      description: "Jobs that users wait for are not done: resumed answers, exports or uploaded files.",
      metric: combineMetrics(
        "MAX",
        ["continue-run", "build-export", "process-file"].map((name) => oldestMessage(context, name)),
      ),
      // Messages can be this old without a fault: an answer takes up to 15 minutes, and a file is retried after 12.
      threshold: 20 * 60,
      periods: 2,
    },
  };
}

const queueLength = (context: StackContext, name: string) =>
  metric("AWS/SQS", "ApproximateNumberOfMessagesVisible", { QueueName: resourceName(context, name) }, Stats.MAXIMUM);

const oldestMessage = (context: StackContext, name: string) =>
  metric("AWS/SQS", "ApproximateAgeOfOldestMessage", { QueueName: resourceName(context, name) }, Stats.MAXIMUM);
