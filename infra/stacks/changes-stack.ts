import { Annotations, Duration, Stack, Validations } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, FilterCriteria, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { SqsDlq } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { ServiceFunction } from "../constructs/api-function.ts";
import { jobName, pascalCase, processorName, queueVariable } from "../naming.ts";
import { nameOf, type Service, type ServiceData } from "../service.ts";

/** Where a job waits, and the variable by which functions know the place. */
interface JobQueue {
  readonly queue: Queue;
  readonly variable: string;
}

/** Items that change often and that nothing is derived from: their changes would only cost invocations. */
const unwatched = [
  ...["rate", "key-rate", "run-log", "run-control", "idempotency", "credential", "slug"],
  ...["postings", "passage", "index-statistics", "document-source", "collection-name"],
];

const watched = { discriminator: { S: [{ "anything-but": unwatched }] } };

/** Changes that processors get to see; of a key's counter only that it appeared, which means that the key is in use. */
const worthProcessing = [
  FilterCriteria.filter({ dynamodb: { NewImage: watched } }),
  FilterCriteria.filter({ eventName: ["REMOVE"], dynamodb: { OldImage: watched } }),
  FilterCriteria.filter({ eventName: ["INSERT"], dynamodb: { NewImage: { discriminator: { S: ["key-rate"] } } } }),
];

/**
 * Processors of the table's changes, each of which reads the whole stream at its own pace, and jobs: what is to be done
 * a while later, each with a queue to wait in.
 */
export class ChangesStack extends Stack {
  constructor(scope: Construct, id: string, service: Service, data: ServiceData) {
    super(scope, id, { description: "Switchboard: what follows from changes" });
    // Both single changes that cannot be processed and batches that failed for good end here.
    const faults = new Queue(this, "Faults", {
      queueName: nameOf(service, "faults"),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(faults).acknowledge({ id: "AwsSolutions-SQS3", reason: "It is a dead-letter queue." });
    if (service.bundle.processors.length > 2) {
      Annotations.of(this).addWarningV2(
        "switchboard:stream-readers",
        "More than two readers of a stream slow each other.",
      );
    }
    const queues = service.bundle.jobs.map((entry) => this.#addJob(service, data, faults, entry));
    for (const entry of service.bundle.processors) this.#addProcessor(service, data, faults, queues, entry);
  }

  #addJob(service: Service, data: ServiceData, faults: Queue, entry: string): JobQueue {
    const name = jobName(entry);
    const queue = new Queue(this, `${pascalCase(name)}Queue`, {
      queueName: nameOf(service, name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times the function's own time, as Lambda asks for.
      visibilityTimeout: Duration.minutes(6),
      deadLetterQueue: { queue: faults, maxReceiveCount: 5 },
    });
    const variable = queueVariable(name);
    const job = new ServiceFunction(this, pascalCase(name), {
      service,
      kind: "changes",
      name,
      entry,
      description: `Job: ${name}`,
      data,
      access: "write",
      statements: [
        new PolicyStatement({
          actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:SendMessage"],
          resources: [queue.queueArn],
        }),
      ],
      environment: { [variable]: queue.queueUrl },
    });
    new EventSourceMapping(this, `${pascalCase(name)}Jobs`, {
      target: job,
      eventSourceArn: queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    return { queue, variable };
  }

  #addProcessor(service: Service, data: ServiceData, faults: Queue, jobs: readonly JobQueue[], entry: string): void {
    const name = processorName(entry);
    const streamArn = String(data.table.tableStreamArn);
    const processor = new ServiceFunction(this, pascalCase(name), {
      service,
      kind: "changes",
      name: `changes-${name}`,
      entry,
      description: `Process changes: ${name}`,
      data,
      access: "write",
      statements: [
        new PolicyStatement({
          actions: ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"],
          resources: [streamArn],
        }),
        new PolicyStatement({ actions: ["dynamodb:ListStreams"], resources: ["*"] }),
        new PolicyStatement({
          actions: ["sqs:SendMessage"],
          resources: [faults.queueArn, ...jobs.map(({ queue }) => queue.queueArn)],
        }),
      ],
      environment: {
        FAULT_QUEUE_URL: faults.queueUrl,
        ...Object.fromEntries(jobs.map(({ variable, queue }) => [variable, queue.queueUrl])),
      },
    });
    new EventSourceMapping(this, `${pascalCase(name)}Changes`, {
      target: processor,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      maxBatchingWindow: Duration.seconds(service.config.changesWindowSeconds),
      // One poisonous change is narrowed down to, put aside and passed by.
      bisectBatchOnError: true,
      filters: worthProcessing,
      retryAttempts: 10,
      onFailure: new SqsDlq(faults),
    });
  }
}
