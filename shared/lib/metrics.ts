import { now } from "./clock.ts";
import { env, getFunctionName } from "./env.ts";
import { findTraceContext } from "./tracing/trace-context.ts";

/** CloudWatch namespace of the service's custom metrics. They have the dimension `stage`. */
export const metricNamespace = "Switchboard";

/** Units of the custom metrics, which no AWS metric covers. Alarms on them: `infra/constructs/alarm-specs.ts`. */
const metricUnits = {
  key_set_unavailable: "Count",
  rate_limiter_failed: "Count",
  model_credential_rejected: "Count",
  /** Requests that were answered with a status of 500 or more. */
  failed_requests: "Count",
  /** Requests to streaming functions that were answered with a status of 500 or more. */
  failed_streams: "Count",
  /** Unexpected exceptions, which are faults in the code; failures of providers, the table or callers are not counted. */
  code_faults: "Count",
  /** Streams that the function aborted after sending an error event. Lambda counts them as errors of the function. */
  cut_off_streams: "Count",
  /** Requests that were rejected because of a rate limit. */
  limiter_refusals: "Count",
  /** Requests that were recognized as repeated, by their `Idempotency-Key` or as a repeated alert, and not executed again. */
  duplicates: "Count",
  /** Events in which the use of a budget reached 80% or 100%. */
  budgets_reached: "Count",
  /** Chat answers that ended, and those of them that ended with an error or were interrupted by the provider. */
  runs: "Count",
  failed_runs: "Count",
  /** Test questions that the service asks itself as a monitor, and those of them without an answer. */
  probes: "Count",
  failed_probes: "Count",
  time_to_first_token_ms: "Milliseconds",
  run_duration_ms: "Milliseconds",
  input_tokens: "Count",
  output_tokens: "Count",
  cost_usd: "None",
  /** Failed calls of a model provider, including those that were retried. */
  provider_errors: "Count",
  /** Texts in which a guardrail found something, by the action that the tenant's policy sets. */
  guardrail_flags: "Count",
  guardrail_redactions: "Count",
  guardrail_blocks: "Count",
  /** Guardrail findings that users reported as wrong. */
  guardrail_reported_wrong: "Count",
  /** Age of the oldest change in a batch of a stream processor, when the processor receives it. */
  processor_lag_ms: "Milliseconds",
} as const;

export type MetricName = keyof typeof metricUnits;

/** Metric values that one log line reports. */
export type MetricValues = Readonly<Partial<Record<MetricName, number>>>;

interface MetricLine {
  readonly metrics: MetricValues;
  /** Dimensions in addition to `stage`, such as the model. Each value is also recorded without them. */
  readonly dimensions?: Readonly<Record<string, string>>;
  /** Further fields of the line, for searches in the log. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * Writes a log line that may contain metrics, in CloudWatch embedded metric format, which needs no API call. The line is
 * written to stdout directly, because Lambda adds a prefix to console output and the format allows nothing but JSON.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function recordMetrics({ metrics, dimensions = {}, fields = {} }: MetricLine): void {
  const Metrics = Object.keys(metrics).map((Name) => ({ Name, Unit: metricUnits[Name as MetricName] }));
  const names = Object.keys(dimensions);
  const Dimensions = [["stage"], ...(names.length > 0 ? [["stage", ...names]] : [])];
  const CloudWatchMetrics = [{ Namespace: metricNamespace, Dimensions, Metrics }];
  const line = {
    ...(Metrics.length > 0 && { _aws: { Timestamp: now(), CloudWatchMetrics } }),
    stage: env("STAGE").STAGE,
    ...findTraceContext(),
    ...dimensions,
    ...fields,
    ...metrics,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Increments a metric twice: for the whole stage, and for the function that runs this code. */
export function countInFunction(name: MetricName): void {
  recordMetrics({ metrics: { [name]: 1 }, dimensions: { function: getFunctionName() } });
}

export function countMetric(name: MetricName): void {
  recordMetrics({ metrics: { [name]: 1 } });
}
