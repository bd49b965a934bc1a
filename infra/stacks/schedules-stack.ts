import { Duration, Fn, Stack } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { Construct } from "constructs";
import { enabledSchedules } from "../../functions/schedules.ts";
import { ServiceFunction } from "../constructs/api-function.ts";
import { pascalCase, scheduledEntryPoint } from "../naming.ts";
import { type DataResources, resourceName, type StackContext } from "../stack-context.ts";

/**
 * Stack of the scheduled functions, each with an EventBridge rule. The probe reaches the service at `PROBE_URL`, by default at
 * the address of the deployment.
 */
export class SchedulesStack extends Stack {
  constructor(scope: Construct, id: string, context: StackContext, data: DataResources, edge: Stack) {
    super(scope, id, { description: "Switchboard: functions that run at regular times" });
    this.addStackDependency(edge);
    const { domain, settings } = context.config;
    // The output is read when this stack is deployed, so that the other one may replace it.
    const ownUrl = domain ? `https://${domain.name}` : Fn.getStackOutput(edge.stackName, "BaseUrl");
    for (const [name, { everyMinutes, requires, description }] of enabledSchedules(context.config)) {
      const target = new ServiceFunction(this, pascalCase(name), {
        context,
        kind: "changes",
        name,
        entry: scheduledEntryPoint(name),
        description,
        data,
        environment: requires === "hasProbe" ? { PROBE_URL: settings.probe.PROBE_URL || ownUrl } : {},
      });
      new Rule(this, `${pascalCase(name)}Schedule`, {
        ruleName: resourceName(context, name),
        schedule: Schedule.rate(Duration.minutes(everyMinutes)),
        // A call that is late is of no use, because the next one follows.
        targets: [new LambdaFunction(target, { retryAttempts: 0, maxEventAge: Duration.minutes(everyMinutes) })],
      });
    }
  }
}
