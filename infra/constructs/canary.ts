import { Duration, Validations } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IAlarm,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import type { Alias } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { Route } from "../../shared/api/define-route.ts";
import { kebabCase, pascalCase } from "../naming.ts";
import { resourceName, type StackContext } from "../stack-context.ts";
import { runbookOf } from "./alarm-specs.ts";
import type { ServiceFunction } from "./api-function.ts";
import { difference, serviceMetric } from "./metrics.ts";

/** Operations whose functions are deployed gradually with `-c canary=true`: chat and completions. */
const canaryOperations: ReadonlySet<string> = new Set(["startChat", "createChatCompletion", "createCompletion"]);

/** Returns true if the function of an operation is deployed gradually. */
export const isCanary = ({ config }: StackContext, { id }: Route): boolean =>
  config.hasCanaries && canaryOperations.has(id);

/**
 * Returns an alias of a function with gradual deployment. CodeDeploy sends 10 % of the requests to a new version for five
 * minutes, then all. An alarm in these minutes returns all requests to the old version and fails the stack's deployment.
 */
export function addCanary(scope: Construct, context: StackContext, route: Route, target: ServiceFunction): Alias {
  const name = pascalCase(route.id);
  const alias = target.addAlias("live");
  // Errors of the model provider have codes of their own. A deployment during its outage is not the fault of the new version.
  const own = (name: "code_faults" | "cut_off_streams") =>
    serviceMetric(name, context, { dimensions: { function: resourceName(context, kebabCase(route.id)) } });
  const addAlarm = (id: string, metric: Metric | MathExpression): IAlarm =>
    new Alarm(scope, `${name}${id}`, {
      alarmName: resourceName(context, `${kebabCase(route.id)}${kebabCase(id)}`),
      alarmDescription: `Moves requests back to the version before while a new one is deployed. Runbook: ${runbookOf(kebabCase(id).slice(1), context)}`,
      metric: metric.with({ period: Duration.minutes(1) }),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  const group = new LambdaDeploymentGroup(scope, `${name}Deployment`, {
    alias,
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    alarms: [
      addAlarm("CanaryErrors", difference(alias.metricErrors(), own("cut_off_streams"), "crashes and timeouts")),
      addAlarm("CanaryFaults", own("code_faults")),
    ],
  });
  if (group.role) {
    Validations.of(group.role).acknowledge({
      id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]",
      reason: "AWS maintains the rights of CodeDeploy for its own operations.",
    });
  }
  return alias;
}
