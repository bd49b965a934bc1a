import { now } from "./clock.ts";
import { env } from "./env.ts";

/** Under which CloudWatch keeps the service's own metrics, each for one `stage`. */
export const metricNamespace = "Switchboard";

/** What the service counts of itself, because nothing of AWS's does. */
export type MetricName = "rate_limiter_failed";

/**
 * Counts one. CloudWatch reads it out of the log, which costs no call; the line has to be JSON and nothing else, so it does
 * not go through the console, before whose lines Lambda puts words of its own.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function countMetric(name: MetricName): void {
  const Metrics = [{ Name: name, Unit: "Count" }];
  const CloudWatchMetrics = [{ Namespace: metricNamespace, Dimensions: [["stage"]], Metrics }];
  const line = { _aws: { Timestamp: now(), CloudWatchMetrics }, stage: env("STAGE").STAGE, [name]: 1 };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
