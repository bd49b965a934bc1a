import { now } from "./clock.ts";
import { env } from "./env.ts";

/** CloudWatch namespace of the service's custom metrics. They have the dimension `stage`. */
export const metricNamespace = "Switchboard";

/** Custom metric: an event that no AWS metric covers. */
export type MetricName = "key_set_unavailable" | "rate_limiter_failed" | "model_credential_rejected";

/**
 * Increments a metric with a line in CloudWatch embedded metric format, which needs no API call. The line is written to
 * stdout directly, because Lambda adds a prefix to console output and the format allows nothing but JSON.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function countMetric(name: MetricName): void {
  const Metrics = [{ Name: name, Unit: "Count" }];
  const CloudWatchMetrics = [{ Namespace: metricNamespace, Dimensions: [["stage"]], Metrics }];
  const line = { _aws: { Timestamp: now(), CloudWatchMetrics }, stage: env("STAGE").STAGE, [name]: 1 };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
