import { Duration, Stack } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { Construct } from "constructs";
import { enabledSchedules } from "../../functions/schedules.ts";
import { ServiceFunction } from "../constructs/api-function.ts";
import { pascalCase, scheduledEntryPoint } from "../naming.ts";
import { type DataResources, resourceName, type StackContext } from "../stack-context.ts";

/** Returns the enabled schedules of a deployment, by the name of the function. */
export const enabledSchedulesOf = ({ config }: StackContext) =>
  enabledSchedules(Object.assign({}, ...Object.values(config.settings)));

/** Stack of the scheduled functions, each with an EventBridge rule. */
export class SchedulesStack extends Stack {
  constructor(scope: Construct, id: string, context: StackContext, data: DataResources) {
    super(scope, id, { description: "Switchboard: functions that run at regular times" });
    for (const [name, { everyMinutes, description }] of enabledSchedulesOf(context)) {
      const target = new ServiceFunction(this, pascalCase(name), {
        context,
        kind: "changes",
        name,
        entry: scheduledEntryPoint(name),
        description,
        data,
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
