import { Aws, Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, HttpMethods } from "aws-cdk-lib/aws-s3";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { ServiceFunction } from "../constructs/api-function.ts";
import { fileProcessingEntry, jobName } from "../naming.ts";
import {
  bucketNames,
  type DataResources,
  resourceName,
  type StackContext,
  type UploadResources,
} from "../stack-context.ts";

const name = jobName(fileProcessingEntry);

/**
 * Stack of uploaded files: a bucket, whose events go to a queue, and the job that extracts their text. The job has its own
 * function, so that a hostile file affects nothing else. A file is deleted after its text was extracted; files of messages
 * are moved to another bucket.
 */
export class FilesStack extends Stack {
  readonly uploads: UploadResources;

  constructor(scope: Construct, id: string, context: StackContext, data: DataResources) {
    super(scope, id, { description: "Switchboard: uploaded files" });
    // The name is known before the bucket exists, because bucket and queue refer to each other.
    const bucketName = bucketNames(context).UPLOAD_BUCKET;
    const queue = this.#createQueue(context, bucketName);
    this.#createBucket(bucketName, queue);
    this.uploads = { queueArn: queue.queueArn, queueUrl: queue.queueUrl };
    this.#createAttachmentBucket(context);
    const job = new ServiceFunction(this, "ProcessFile", {
      context,
      kind: "fileJob",
      name,
      entry: fileProcessingEntry,
      description: `Job: ${name}`,
      data,
      statements: [
        new PolicyStatement({
          actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
          resources: [queue.queueArn],
        }),
      ],
    });
    new EventSourceMapping(this, "ProcessFileJobs", {
      target: job,
      eventSourceArn: queue.queueArn,
      // Each file has the memory and the time of an invocation for itself.
      batchSize: 1,
      reportBatchItemFailures: true,
      maxConcurrency: 10,
    });
  }

  #createQueue(context: StackContext, bucketName: string): Queue {
    const deadLetters = new Queue(this, "Faults", {
      queueName: resourceName(context, "file-faults"),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(deadLetters).acknowledge({ id: "AwsSolutions-SQS3", reason: "This queue is a dead-letter queue." });
    const queue = new Queue(this, "ProcessFileQueue", {
      queueName: resourceName(context, name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times the function timeout, as AWS recommends.
      visibilityTimeout: Duration.minutes(12),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
    });
    queue.grantSendMessages(
      new ServicePrincipal("s3.amazonaws.com", {
        conditions: {
          ArnEquals: { "aws:SourceArn": toBucketArn(bucketName) },
          StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID },
        },
      }),
    );
    return queue;
  }

  #createAttachmentBucket(context: StackContext): void {
    const { retainData } = context.config;
    const bucket = new Bucket(this, "Attachments", {
      bucketName: bucketNames(context).ATTACHMENT_BUCKET,
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // The signature of the URL decides who may read; the origin does not matter.
      cors: [{ allowedOrigins: ["*"], allowedMethods: [HttpMethods.GET], allowedHeaders: ["*"], maxAge: 3_600 }],
      removalPolicy: retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    Validations.of(bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "The API's access log records who gets the URL of a file, which is valid for five minutes.",
    });
  }

  #createBucket(bucketName: string, queue: Queue): void {
    const bucket = new Bucket(this, "Uploads", {
      bucketName,
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // Files are deleted once they were read; this removes what an interrupted job left.
      lifecycleRules: [{ expiration: Duration.days(2), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      // The signature of the URL decides who may upload; the origin does not matter.
      cors: [
        {
          allowedOrigins: ["*"],
          allowedMethods: [HttpMethods.PUT],
          allowedHeaders: ["*"],
          exposedHeaders: ["ETag"],
          maxAge: 3_600,
        },
      ],
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "Objects live for seconds; the API's access log records who starts an upload.",
    });
    // `addEventNotification` would add a function that configures the bucket.
    const resource = bucket.node.defaultChild as CfnBucket;
    resource.notificationConfiguration = {
      queueConfigurations: [{ event: "s3:ObjectCreated:*", queue: queue.queueArn }],
    };
    resource.node.addDependency(queue.node.findChild("Policy"));
  }
}

const toBucketArn = (name: string) => `arn:${Aws.PARTITION}:s3:::${name}`;
