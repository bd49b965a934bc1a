import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { type MetricName, metricNamespace } from "../../shared/lib/metrics.ts";
import type { StackContext } from "../stack-context.ts";

/** Period of alarms and charts. */
export const period = Duration.minutes(5);

/** Returns a metric of AWS. */
export function metric(
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  statistic: string = Stats.SUM,
): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic, period });
}

/** Returns a custom metric that the functions publish. */
export function serviceMetric(
  name: MetricName,
  { config }: StackContext,
  { statistic = Stats.SUM, dimensions = {} }: { statistic?: string; dimensions?: Record<string, string> } = {},
): Metric {
  return metric(metricNamespace, name, { stage: config.stage, ...dimensions }, statistic);
}

/** Combines metrics into one. */
export function combineMetrics(operation: "SUM" | "MAX", metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({ expression: `${operation}(METRICS())`, usingMetrics, label: operation, period });
}

/** Returns a metric without the events that another one counts. */
export function difference(all: Metric, part: Metric, label: string): MathExpression {
  return new MathExpression({ expression: "all - FILL(part, 0)", usingMetrics: { all, part }, label, period });
}

/**
 * Returns the share of events among all of them, in percent.
 * @param minimum number of events in a period below which the share is 0, because a single failure is not an outage
 */
export function percentage(part: Metric, all: Metric, minimum: number, label: string): MathExpression {
  return new MathExpression({
    expression: `IF(all >= ${minimum}, 100 * part / all, 0)`,
    usingMetrics: { part, all },
    label,
    period,
  });
}
