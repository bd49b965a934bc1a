import { CfnOutput, Stack } from "aws-cdk-lib";
import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnQueryDefinition } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { type AlarmThresholds, alarmSpecs, runbookOf } from "../constructs/alarm-specs.ts";
import { metric, serviceMetric } from "../constructs/metrics.ts";
import { kebabCase } from "../naming.ts";
import { globalResourceName, resourceName, type StackContext } from "../stack-context.ts";

/** Stack of the alarms, their SNS topic, the dashboard and the saved query that follows a request. */
export class ObservabilityStack extends Stack {
  constructor(scope: Construct, id: string, context: StackContext, thresholds: AlarmThresholds) {
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
    for (const [id, alarm] of Object.entries(alarmSpecs(context, thresholds))) {
      const name = kebabCase(id).slice(1);
      const raised = new Alarm(this, id, {
        alarmName: resourceName(context, name),
        alarmDescription: `${alarm.description} Runbook: ${runbookOf(name, context)}`,
        metric: alarm.metric,
        threshold: alarm.threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: alarm.periods,
        treatMissingData: alarm.needsData ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      });
      raised.addAlarmAction(new SnsAction(topic));
      raised.addOkAction(new SnsAction(topic));
    }
    if (thresholds.monthlyBudgetUsd !== null) this.#addBudget(context, topic, thresholds.monthlyBudgetUsd);
    this.#addDashboard(context);
    // A query names at most 50 log groups, and a deployment has more, so they are selected by their prefix when it runs.
    new CfnQueryDefinition(this, "RequestQuery", {
      name: resourceName(context, "request"),
      queryString: [
        "fields @timestamp, @log, message, level, status, @message",
        // Lines of the change feed name the requests of a batch in a list.
        "filter @message like 'REQUEST-ID'",
        "sort @timestamp asc",
      ].join("\n| "),
    });
  }

  /** Adds a monthly budget for the costs of the account. AWS sends a message at 80 %, and when it forecasts more than 100 %. */
  #addBudget(context: StackContext, topic: Topic, amount: number): void {
    topic.grantPublish(
      new ServicePrincipal("budgets.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": this.account } },
      }),
    );
    const notify = (notificationType: "ACTUAL" | "FORECASTED", threshold: number) => ({
      notification: { notificationType, comparisonOperator: "GREATER_THAN", threshold, thresholdType: "PERCENTAGE" },
      subscribers: [{ subscriptionType: "SNS", address: topic.topicArn }],
    });
    const budget = new CfnBudget(this, "Budget", {
      budget: {
        budgetName: globalResourceName(context, "costs"),
        budgetType: "COST",
        timeUnit: "MONTHLY",
        budgetLimit: { amount, unit: "USD" },
      },
      notificationsWithSubscribers: [notify("ACTUAL", 80), notify("FORECASTED", 100)],
    });
    // Budgets checks that it may publish when it is created.
    budget.node.addDependency(topic);
  }

  #addDashboard(context: StackContext): void {
    const own = (name: Parameters<typeof serviceMetric>[0], statistic?: string) =>
      serviceMetric(name, context, statistic === undefined ? {} : { statistic });
    const api = { ApiName: resourceName(context, "api") };
    const table = { TableName: resourceName(context, "table") };
    const charts: readonly (readonly [title: string, metrics: IMetric[]])[] = [
      ["Requests", [metric("AWS/ApiGateway", "Count", api), own("failed_requests"), own("limiter_refusals")]],
      ["Latency of the API", [50, 95].map((p) => metric("AWS/ApiGateway", "Latency", api, Stats.p(p)))],
      ["Chat answers", [own("runs"), own("failed_runs"), own("provider_errors")]],
      ["Time to first token", [50, 95].map((p) => own("time_to_first_token_ms", Stats.p(p)))],
      ["Tokens", [own("input_tokens"), own("output_tokens")]],
      ["Model cost, USD", [own("cost_usd")]],
      [
        "Guardrail",
        [own("guardrail_flags"), own("guardrail_redactions"), own("guardrail_blocks"), own("guardrail_reported_wrong")],
      ],
      ["Repeated requests", [own("duplicates")]],
      ["Lag of the stream processors", [own("processor_lag_ms", Stats.MAXIMUM)]],
      ["Lambda concurrency", [metric("AWS/Lambda", "ConcurrentExecutions", {}, Stats.MAXIMUM)]],
      [
        "Table capacity units",
        [
          metric("AWS/DynamoDB", "ConsumedReadCapacityUnits", table),
          metric("AWS/DynamoDB", "ConsumedWriteCapacityUnits", table),
        ],
      ],
    ];
    const widgets = charts.map(([title, left]) => new GraphWidget({ title, left, width: 8, height: 6 }));
    new Dashboard(this, "Dashboard", { dashboardName: globalResourceName(context, "overview") }).addWidgets(...widgets);
  }
}
