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
import { nameOf, type Service } from "../stack-context.ts";

/** When somebody should be told, and what. */
interface Watch {
  readonly about: string;
  readonly metric: IMetric;
  readonly above: number;
  /** Of this many periods in a row, all have to be bad. */
  readonly periods: number;
}

const period = Duration.minutes(5);

/** Few alarms, each of which means that somebody is not being served; they go to a topic that people subscribe to. */
export class ObservabilityStack extends Stack {
  constructor(scope: Construct, id: string, service: Service, thresholds: NonNullable<Config["alarms"]>) {
    super(scope, id, { description: "Switchboard: alarms" });
    const topic = new Topic(this, "Alarms", { topicName: nameOf(service, "alarms"), enforceSSL: true });
    // With a policy of its own a topic loses the one that lets everybody in the account publish, alarms included.
    topic.grantPublish(
      new ServicePrincipal("cloudwatch.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": this.account } },
      }),
    );
    new CfnOutput(this, "AlarmTopic", { value: topic.topicArn, description: "Subscribe whoever is to be told" });
    for (const [name, watch] of Object.entries(watches(service, thresholds))) {
      new Alarm(this, name, {
        alarmName: nameOf(service, kebabCase(name).slice(1)),
        alarmDescription: watch.about,
        metric: watch.metric,
        threshold: watch.above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: watch.periods,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }).addAlarmAction(new SnsAction(topic));
    }
  }
}

function watches(service: Service, thresholds: NonNullable<Config["alarms"]>): Record<string, Watch> {
  const api = { ApiName: nameOf(service, "api") };
  const table = { TableName: nameOf(service, "table") };
  const processors = service.bundle.processors.map((entry) => `changes-${processorName(entry)}`);
  const lags = processors.map((name) =>
    metric("AWS/Lambda", "IteratorAge", { FunctionName: nameOf(service, name) }, Stats.MAXIMUM),
  );
  return {
    ApiErrors: {
      about: `More than ${thresholds.errorPercent} % of the API's answers are 5xx`,
      metric: new MathExpression({
        // A single failure in a quiet night is no outage.
        expression: "IF(requests >= 20, 100 * errors / requests, 0)",
        usingMetrics: {
          errors: metric("AWS/ApiGateway", "5XXError", api),
          requests: metric("AWS/ApiGateway", "Count", api),
        },
        label: "5xx, percent",
        period,
      }),
      above: thresholds.errorPercent,
      periods: 2,
    },
    ...streamWatches(service),
    // Of the account as a whole: one alarm can look at ten functions at most.
    FunctionErrors: {
      about: "Functions crash or run out of time",
      metric: metric("AWS/Lambda", "Errors", {}),
      above: 10,
      periods: 2,
    },
    FunctionThrottles: {
      about: "The account's functions are at their limit of concurrency, and calls are refused",
      metric: metric("AWS/Lambda", "Throttles", {}),
      above: 0,
      periods: 2,
    },
    TableThrottles: {
      about: "The table refuses requests: a partition is hot, or a limit of the account is reached",
      metric: combined("SUM", [
        metric("AWS/DynamoDB", "ReadThrottleEvents", table),
        metric("AWS/DynamoDB", "WriteThrottleEvents", table),
      ]),
      above: 10,
      periods: 3,
    },
    LimiterFailures: {
      about: "Requests are let in uncounted, because counting them fails: nobody's limits hold",
      metric: ownMetric("rate_limiter_failed", service),
      above: 10,
      periods: 2,
    },
    ...(processors.length > 0 && {
      ChangesLag: {
        about: "Changes wait to be processed: deletions, search and usage are behind",
        metric: combined("MAX", lags),
        above: thresholds.changesLagSeconds * 1_000,
        periods: 3,
      },
      ChangesFaults: {
        about: "A change could not be processed and lies in the queue of faults",
        metric: metric(
          "AWS/SQS",
          "ApproximateNumberOfMessagesVisible",
          { QueueName: nameOf(service, "faults") },
          Stats.MAXIMUM,
        ),
        above: 0,
        periods: 1,
      },
    }),
  };
}

/** Metrics that one alarm can look at. */
const perAlarm = 10;

/** What streams is not behind the API: its functions count their answers by themselves. */
function streamWatches(service: Service): Record<string, Watch> {
  const failures = service.routes
    .filter((route) => route.streaming)
    .map(({ id }) => metric("AWS/Lambda", "Url5xxCount", { FunctionName: nameOf(service, kebabCase(id)) }));
  const groups = Array.from({ length: Math.ceil(failures.length / perAlarm) }, (_, place) =>
    failures.slice(place * perAlarm, (place + 1) * perAlarm),
  );
  const watch = (group: readonly Metric[]): Watch => ({
    about: "Functions that stream answer 5xx: people chat in vain",
    metric: combined("SUM", group),
    above: 10,
    periods: 2,
  });
  return Object.fromEntries(groups.map((group, place) => [`StreamErrors${place || ""}`, watch(group)]));
}

function metric(
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  statistic: string = Stats.SUM,
): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic, period });
}

/** A metric that the functions count themselves. */
function ownMetric(name: MetricName, { config }: Service): Metric {
  return metric(metricNamespace, name, { stage: config.stage });
}

function combined(operation: "SUM" | "MAX", metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((each, index) => [`m${index}`, each]));
  return new MathExpression({ expression: `${operation}(METRICS())`, usingMetrics, label: "together", period });
}
