import { Aws, Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from "aws-cdk-lib/aws-s3";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { resourceName, type StackContext } from "../stack-context.ts";

/** Retention of failed batches, the same as that of messages in the dead-letter queues. */
const RETENTION = Duration.days(14);

/**
 * Bucket for batches of changes that Lambda stopped retrying, and the queue with an event per batch. Lambda could also send
 * failures to the queue itself, but only as positions in the stream, which keeps changes for a day.
 */
export class StreamFailures extends Construct {
  readonly bucket: Bucket;
  /** IAM statements that let Lambda store a batch. */
  readonly statements: readonly PolicyStatement[];

  constructor(scope: Construct, id: string, context: StackContext, queue: Queue) {
    super(scope, id);
    const bucketName = `${resourceName(context, "failures")}-${Aws.ACCOUNT_ID}-${Aws.REGION}`;
    this.bucket = new Bucket(this, "Batches", {
      bucketName,
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: RETENTION, abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(this.bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "Only Lambda writes objects and only operators read them; CloudTrail records both.",
    });
    // EventBridge instead of a notification to the queue, whose test message would raise the alarm. `eventBridgeEnabled` of the
    // construct would add a function that configures the bucket.
    const resource = this.bucket.node.defaultChild as CfnBucket;
    resource.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
    new Rule(this, "Stored", {
      eventPattern: {
        source: ["aws.s3"],
        detailType: ["Object Created"],
        detail: { bucket: { name: [bucketName] } },
      },
      targets: [new SqsQueue(queue)],
    });
    const arn = `arn:${Aws.PARTITION}:s3:::${bucketName}`;
    this.statements = [
      new PolicyStatement({ actions: ["s3:ListBucket"], resources: [arn] }),
      new PolicyStatement({ actions: ["s3:PutObject"], resources: [`${arn}/*`] }),
    ];
  }
}
