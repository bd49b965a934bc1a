import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { type MetricName, metricNamespace } from "../../shared/lib/metrics.ts";
import type { Config } from "../config.ts";
import { kebabCase, processorName } from "../naming.ts";
import { resourceName, type StackContext } from "../stack-context.ts";

/** Definition of an alarm. */
interface AlarmSpec {
  readonly description: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** Number of consecutive periods above the threshold. */
  readonly periods: number;
}

const period = Duration.minutes(5);

/** Stack of the alarms and their SNS topic. Each alarm means that users are affected. */
export class ObservabilityStack extends Stack {
  constructor(scope: Construct, id: string, context: StackContext, thresholds: NonNullable<Config["alarms"]>) {
    super(scope, id, { description: "Switchboard: alarms" });
    const topic = new Topic(this, "Alarms", { topicName: resourceName(context, "alarms"), enforceSSL: true });
    // `enforceSSL` replaces the default topic policy, which lets CloudWatch alarms of the account publish.
    topic.grantPublish(
      new ServicePrincipal("cloudwatch.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": this.account } },
      }),
    );
    new CfnOutput(this, "AlarmTopic", {
      value: topic.topicArn,
      description: "Subscribe the people on call to this topic",
    });
    for (const [name, alarm] of Object.entries(alarmSpecs(context, thresholds))) {
      new Alarm(this, name, {
        alarmName: resourceName(context, kebabCase(name).slice(1)),
        alarmDescription: alarm.description,
        metric: alarm.metric,
        threshold: alarm.threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: alarm.periods,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }).addAlarmAction(new SnsAction(topic));
    }
  }
}

function alarmSpecs(context: StackContext, thresholds: NonNullable<Config["alarms"]>): Record<string, AlarmSpec> {
  const api = { ApiName: resourceName(context, "api") };
  const table = { TableName: resourceName(context, "table") };
  const processors = context.bundle.processors.map((entry) => `changes-${processorName(entry)}`);
  const lags = processors.map((name) =>
    metric("AWS/Lambda", "IteratorAge", { FunctionName: resourceName(context, name) }, Stats.MAXIMUM),
  );
  return {
    ApiErrors: {
      description: `More than ${thresholds.errorPercent} % of the API's answers are 5xx`,
      metric: new MathExpression({
        // With few requests, a single failure is not an outage.
        expression: "IF(requests >= 20, 100 * errors / requests, 0)",
        usingMetrics: {
          errors: metric("AWS/ApiGateway", "5XXError", api),
          requests: metric("AWS/ApiGateway", "Count", api),
        },
        label: "5xx, percent",
        period,
      }),
      threshold: thresholds.errorPercent,
      periods: 2,
    },
    ...streamAlarmSpecs(context),
    // Account-wide metrics, because an alarm can evaluate at most ten functions.
    FunctionErrors: {
      description: "Functions crash or run out of time",
      metric: metric("AWS/Lambda", "Errors", {}),
      threshold: 10,
      periods: 2,
    },
    FunctionThrottles: {
      description: "The account's functions are at their limit of concurrency, and calls are refused",
      metric: metric("AWS/Lambda", "Throttles", {}),
      threshold: 0,
      periods: 2,
    },
    TableThrottles: {
      description: "The table refuses requests: a partition is hot, or a limit of the account is reached",
      metric: combineMetrics("SUM", [
        metric("AWS/DynamoDB", "ReadThrottleEvents", table),
        metric("AWS/DynamoDB", "WriteThrottleEvents", table),
      ]),
      threshold: 10,
      periods: 3,
    },
    LimiterFailures: {
      description: "Rate limits are not enforced because counting requests fails",
      metric: serviceMetric("rate_limiter_failed", context),
      threshold: 10,
      periods: 2,
    },
    ModelCredential: {
      description: "The provider of the language models rejects the credential or the quota of this service",
      metric: serviceMetric("model_credential_rejected", context),
      threshold: 0,
      periods: 1,
    },
    KeySetFailures: {
      description: "The identity provider's keys cannot be fetched; users are locked out once the last ones expire",
      metric: serviceMetric("key_set_unavailable", context),
      threshold: 0,
      periods: 2,
    },
    ...(processors.length > 0 && {
      ChangesLag: {
        description: "Changes wait to be processed: deletions, search and usage are behind",
        metric: combineMetrics("MAX", lags),
        threshold: thresholds.changesLagSeconds * 1_000,
        periods: 3,
      },
      ChangesFaults: {
        description: "A change could not be processed and lies in the queue of faults",
        metric: metric(
          "AWS/SQS",
          "ApproximateNumberOfMessagesVisible",
          { QueueName: resourceName(context, "faults") },
          Stats.MAXIMUM,
        ),
        threshold: 0,
        periods: 1,
      },
    }),
  };
}

/** Maximum number of metrics that an alarm can evaluate. */
const maxMetricsPerAlarm = 10;

/** Returns the alarms for streaming functions. They are not behind the API, so their function URL metrics are used. */
function streamAlarmSpecs(context: StackContext): Record<string, AlarmSpec> {
  const failures = context.routes
    .filter((route) => route.streaming)
    .map(({ id }) => metric("AWS/Lambda", "Url5xxCount", { FunctionName: resourceName(context, kebabCase(id)) }));
  const groups = Array.from({ length: Math.ceil(failures.length / maxMetricsPerAlarm) }, (_, index) =>
    failures.slice(index * maxMetricsPerAlarm, (index + 1) * maxMetricsPerAlarm),
  );
  const alarm = (group: readonly Metric[]): AlarmSpec => ({
    description: "Functions that stream answer 5xx: people chat in vain",
    metric: combineMetrics("SUM", group),
    threshold: 10,
    periods: 2,
  });
  return Object.fromEntries(groups.map((group, index) => [`StreamErrors${index || ""}`, alarm(group)]));
}

function metric(
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  statistic: string = Stats.SUM,
): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic, period });
}

/** Returns a custom metric that the functions publish. */
function serviceMetric(name: MetricName, { config }: StackContext): Metric {
  return metric(metricNamespace, name, { stage: config.stage });
}

function combineMetrics(operation: "SUM" | "MAX", metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({ expression: `${operation}(METRICS())`, usingMetrics, label: "together", period });
}
