import jsep from "jsep";
import type { MetricPoint } from "./metric-points.ts";

interface MetricIdentity {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
}

interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: { readonly Metric: MetricIdentity; readonly Stat: string; readonly Period: number };
  readonly ReturnData?: boolean;
}

/** Properties of an `AWS::CloudWatch::Alarm`: either one metric, or queries that an expression combines. */
export interface AlarmProperties extends Partial<MetricIdentity> {
  readonly AlarmName: string;
  readonly ComparisonOperator: string;
  readonly EvaluationPeriods: number;
  readonly Period?: number;
  readonly DatapointsToAlarm?: number;
  readonly Threshold: number;
  readonly TreatMissingData: string;
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly Metrics?: readonly MetricQuery[];
}

/** Computes a statistic of CloudWatch: `Sum`, `Maximum`, or a percentile such as `p95`. */
function computeStatistic(statistic: string, values: readonly number[]): number {
  if (statistic === "Sum") return values.reduce((sum, value) => sum + value, 0);
  if (statistic === "Maximum") return Math.max(...values);
  const percentile = /^p(\d+(?:\.\d+)?)$/.exec(statistic)?.[1];
  if (percentile === undefined) throw new Error(`Unknown statistic ${statistic}`);
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((Number(percentile) / 100) * sorted.length) - 1)] as number;
}

/** Returns the value of a metric in a period; undefined without a data point. */
function metricValue(metric: MetricIdentity, statistic: string, points: readonly MetricPoint[]): number | undefined {
  const expected = Object.fromEntries((metric.Dimensions ?? []).map(({ Name, Value }) => [Name, Value]));
  const values = points
    .filter(
      ({ namespace, name, dimensions }) =>
        namespace === metric.Namespace &&
        name === metric.MetricName &&
        Object.keys(dimensions).length === Object.keys(expected).length &&
        Object.entries(expected).every(([key, value]) => dimensions[key] === value),
    )
    .map(({ value }) => value);
  return values.length > 0 ? computeStatistic(statistic, values) : undefined;
}

const operators: Readonly<Record<string, (left: number, right: number) => number>> = {
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "-": (left, right) => left - right,
  "+": (left, right) => left + right,
  ">=": (left, right) => Number(left >= right),
  "==": (left, right) => Number(left === right),
};

/** Evaluates the part of the metric math syntax that the alarms use. Missing operands make the result missing. */
function evaluate(node: jsep.Expression, values: ReadonlyMap<string, number | undefined>): number | undefined {
  if (node.type === "Literal") return Number(node.value);
  if (node.type === "Identifier") return values.get(String(node.name));
  if (node.type === "BinaryExpression") {
    const { left, right, operator } = node as jsep.BinaryExpression;
    const operands = [evaluate(left, values), evaluate(right, values)] as const;
    const apply = operators[operator];
    if (!apply) throw new Error(`Unknown operator ${operator}`);
    return operands[0] === undefined || operands[1] === undefined ? undefined : apply(operands[0], operands[1]);
  }
  const { callee, arguments: parameters } = node as jsep.CallExpression;
  const name = String(callee.name);
  if (name === "IF") {
    const [condition, then, otherwise] = parameters.map((parameter) => evaluate(parameter, values));
    if (condition === undefined) return undefined;
    return condition ? then : otherwise;
  }
  if (name === "FILL") return parameters.map((parameter) => evaluate(parameter, values)).find((v) => v !== undefined);
  const [selection] = parameters as jsep.CallExpression[];
  const part = String((selection?.arguments?.[0] as jsep.Literal | undefined)?.value ?? "");
  const present = [...values].flatMap(([id, value]) => (value !== undefined && id.includes(part) ? [value] : []));
  if (name !== "SUM" && name !== "MAX") throw new Error(`Unknown function ${name}`);
  return present.length > 0 ? computeStatistic(name === "SUM" ? "Sum" : "Maximum", present) : undefined;
}

/** Returns the value that an alarm compares with its threshold; undefined if data points are missing. */
function alarmValue(alarm: AlarmProperties, points: readonly MetricPoint[]): number | undefined {
  const { Namespace, MetricName, Metrics } = alarm;
  if (!Metrics) {
    const statistic = alarm.Statistic ?? alarm.ExtendedStatistic ?? "";
    return metricValue({ ...alarm, Namespace: String(Namespace), MetricName: String(MetricName) }, statistic, points);
  }
  const values = new Map(
    Metrics.flatMap(({ Id, MetricStat }) =>
      MetricStat ? [[Id, metricValue(MetricStat.Metric, MetricStat.Stat, points)] as const] : [],
    ),
  );
  const expression = Metrics.find(({ Expression }) => Expression !== undefined)?.Expression ?? "";
  return evaluate(jsep(expression), values);
}

/** Length of the periods in which tests record data points. */
const RECORDED_SECONDS = 300;

/** Returns the number of recorded periods in one period of an alarm. */
function recordedPeriods({ Period, Metrics }: AlarmProperties): number {
  const seconds = Period ?? Metrics?.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period;
  return Number(seconds) / RECORDED_SECONDS;
}

/** Returns the number of recorded periods that an alarm evaluates. */
export const evaluatedPeriods = (alarm: AlarmProperties) => alarm.EvaluationPeriods * recordedPeriods(alarm);

/**
 * Returns true if an alarm is raised at the end of consecutive periods. Missing data does not breach the threshold,
 * unless the alarm specifies it. CloudWatch evaluates periods of more than a minute as sliding windows.
 * @param recorded data points of each period of five minutes, oldest first; there were none before the first
 */
export function isRaised(alarm: AlarmProperties, recorded: readonly (readonly MetricPoint[])[]): boolean {
  const isMissingBreaching = alarm.TreatMissingData === "breaching";
  if (
    alarm.ComparisonOperator !== "GreaterThanThreshold" ||
    !(isMissingBreaching || alarm.TreatMissingData === "notBreaching")
  ) {
    throw new Error(`${alarm.AlarmName}: unknown comparison or treatment of missing data`);
  }
  const length = recordedPeriods(alarm);
  const evaluated = Array.from({ length: alarm.EvaluationPeriods }, (_, index) => {
    const end = recorded.length - index * length;
    return alarmValue(alarm, recorded.slice(Math.max(0, end - length), Math.max(0, end)).flat());
  });
  const breaching = evaluated.filter((value) => (value === undefined ? isMissingBreaching : value > alarm.Threshold));
  return breaching.length >= (alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods);
}
