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

export function serviceMetric(
  name: MetricName,
  { config }: StackContext,
  { statistic = Stats.SUM, dimensions = {} }: { statistic?: string; dimensions?: Record<string, string> } = {},
): Metric {
  return metric(metricNamespace, name, { stage: config.stage, ...dimensions }, statistic);
}

export function combineMetrics(operation: "SUM" | "MAX", metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({ expression: `${operation}(METRICS())`, usingMetrics, label: operation, period });
}

/** Returns a metric without the events that another one counts. */
export function difference(all: Metric, part: Metric, label: string): MathExpression {
  return new MathExpression({ expression: "all - FILL(part, 0)", usingMetrics: { all, part }, label, period });
}

/** Number of failures in a window below which no burn rate is computed, because a few failures are not an outage. */
const MIN_BURN_FAILURES = 5;

/** Returns how many times as fast as an objective allows failures happen. */
export function burnRate(
  failures: Metric,
  all: Metric,
  { objectivePercent, period }: { objectivePercent: number; period: Duration },
): MathExpression {
  const allowedPercent = Number((100 - objectivePercent).toFixed(3));
  return new MathExpression({
    expression: `IF(failures >= ${MIN_BURN_FAILURES}, 100 * failures / all / ${allowedPercent}, 0)`,
    usingMetrics: { failures, all },
    label: "burn rate",
    period,
  });
}

/** Returns the number of failed and refused operations if none succeeded in the same period, otherwise 0. */
export function failuresWithoutSuccess(
  usingMetrics: { failed: Metric; all: Metric; refused: Metric },
  period: Duration,
): MathExpression {
  const failed = "FILL(failed, 0)";
  return new MathExpression({
    expression: `IF(FILL(all, 0) - ${failed} == 0, ${failed} + FILL(refused, 0), 0)`,
    usingMetrics,
    label: "failures without a success",
    period,
  });
}
