import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { type MetricName, metricNamespace } from "../../shared/lib/metrics.ts";
import type { StackContext } from "../stack-context.ts";

/** Period of alarms and charts. */
const period = Duration.minutes(5);

/** Returns a CloudWatch metric of an AWS service. */
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

/** Returns the sum of metrics without the events that `part` counts. */
export function sumWithout(metrics: readonly Metric[], part: Metric, label: string): MathExpression {
  // `METRICS("e")` are those with the letter in their ids.
  const counted = Object.fromEntries(metrics.map((metric, index) => [`e${index}`, metric]));
  const expression = 'SUM(METRICS("e")) - FILL(part, 0)';
  return new MathExpression({ expression, usingMetrics: { ...counted, part }, label, period });
}

/** Minimum number of failures in a window. Below it, the burn rate is 0, because a few failures are not an outage. */
const MIN_BURN_FAILURES = 5;

/** Returns the rate of failures as a multiple of the rate that an objective allows. */
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

/** Returns the number of failed and rejected operations in periods without any success; 0 for all other periods. */
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
