/** A value that CloudWatch extracts from a log line in embedded metric format. */
export interface MetricPoint {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
}

interface MetricDirective {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string }[];
}

/**
 * Returns the metric values in the output of an instance with `LOCAL_LOG=1`, one per metric and dimension set.
 * @param stage stage that replaces the instance's own in the dimensions, so that alarms of that stage see the values
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function readMetricPoints(output: readonly string[], stage: string): MetricPoint[] {
  return output
    .filter((line) => line.includes('"_aws"'))
    .flatMap((line) => {
      const { _aws, ...values } = JSON.parse(line.slice(line.indexOf("{")));
      const fields: Record<string, unknown> = { ...values, stage };
      return (_aws.CloudWatchMetrics as MetricDirective[]).flatMap(({ Namespace, Dimensions, Metrics }) =>
        Dimensions.flatMap((names) =>
          Metrics.map(({ Name }) => ({
            namespace: Namespace,
            name: Name,
            dimensions: Object.fromEntries(names.map((name) => [name, String(fields[name])])),
            value: Number(fields[Name]),
          })),
        ),
      );
    });
}
