import { Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { enabledSchedules } from "../../functions/schedules.ts";
import { ServiceFunction } from "../constructs/api-function.ts";
import { pascalCase, scheduledEntryPoint } from "../naming.ts";
import { bucketNames, type DataResources, resourceName, type StackContext } from "../stack-context.ts";

/** Returns the enabled schedules of a deployment, by the name of the function. */
export const enabledSchedulesOf = ({ config }: StackContext) =>
  enabledSchedules(Object.assign({}, ...Object.values(config.settings)));

/** Retention of usage files, so that a bill can be checked for more than a year. */
const USAGE_FILE_RETENTION = Duration.days(400);

/** Stack of the scheduled functions, each with an EventBridge rule. */
export class SchedulesStack extends Stack {
  constructor(scope: Construct, id: string, context: StackContext, data: DataResources) {
    super(scope, id, { description: "Switchboard: functions that run at regular times" });
    for (const [name, { everyMinutes, readsAllTenants, description }] of enabledSchedulesOf(context)) {
      if (context.usesOf(name).variables.includes("METERING_BUCKET")) this.#createUsageBucket(context);
      const target = new ServiceFunction(this, pascalCase(name), {
        context,
        kind: readsAllTenants ? "allTenants" : "changes",
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

  #createUsageBucket(context: StackContext): void {
    const bucket = new Bucket(this, "UsageFiles", {
      bucketName: bucketNames(context).METERING_BUCKET,
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: USAGE_FILE_RETENTION, abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: context.config.retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    Validations.of(bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "One function writes objects and only operators read them; CloudTrail records both.",
    });
  }
}
