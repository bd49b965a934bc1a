import { Annotations, Duration, Stack, Validations } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, FilterCriteria, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { SqsDlq } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { ServiceFunction } from "../constructs/api-function.ts";
import { modelStatements } from "../constructs/grants.ts";
import { jobName, pascalCase, processorName, queueVariable } from "../naming.ts";
import { nameOf, type Service, type ServiceData } from "../stack-context.ts";

/** A job: its entry point, where what it is to do waits, and the variable by which functions know the place. */
interface Job {
  readonly entry: string;
  readonly queue: Queue;
  readonly variable: string;
}

/** What a function has to be told, and allowed, to have jobs done. */
function toQueueJobs(jobs: readonly Job[]) {
  return {
    statement: new PolicyStatement({
      actions: ["sqs:SendMessage"],
      resources: jobs.map(({ queue }) => queue.queueArn),
    }),
    environment: Object.fromEntries(jobs.map(({ variable, queue }) => [variable, queue.queueUrl])),
  };
}

/** Jobs that make answers: they take as long as these do, and one does not wait for another. */
const answering: ReadonlySet<string> = new Set(["continue-run"]);

/** Items that change often and that nothing is derived from: their changes would only cost invocations. */
const unwatched = [
  ...[
    "rate",
    "key-rate",
    "run-log",
    "run-control",
    "paused-run",
    "usage",
    "counted",
    "idempotency",
    "credential",
    "slug",
  ],
  ...["postings", "passage", "index-statistics", "document-source", "collection-name", "export-piece"],
  ...["audit-head", "audit-event", "audit-mark"],
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
    const jobs = service.bundle.jobs.map((entry) => this.#queueOf(service, faults, entry));
    for (const job of jobs) this.#addJob(service, data, jobs, job);
    for (const entry of service.bundle.processors) this.#addProcessor(service, data, faults, jobs, entry);
  }

  #queueOf(service: Service, faults: Queue, entry: string): Job {
    const name = jobName(entry);
    const queue = new Queue(this, `${pascalCase(name)}Queue`, {
      queueName: nameOf(service, name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times the function's own time, as Lambda asks for.
      visibilityTimeout: answering.has(name) ? Duration.minutes(90) : Duration.minutes(6),
      deadLetterQueue: { queue: faults, maxReceiveCount: 5 },
    });
    return { entry, queue, variable: queueVariable(name) };
  }

  #addJob(service: Service, data: ServiceData, jobs: readonly Job[], { entry, queue }: Job): void {
    const name = jobName(entry);
    const { statement, environment } = toQueueJobs(jobs);
    const job = new ServiceFunction(this, pascalCase(name), {
      service,
      kind: answering.has(name) ? "answering" : "changes",
      name,
      entry,
      description: `Job: ${name}`,
      data,
      access: "write",
      invokesItself: true,
      statements: [
        statement,
        new PolicyStatement({
          actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
          resources: [queue.queueArn],
        }),
        ...(answering.has(name) ? modelStatements(this, service.config.settings.model) : []),
      ],
      environment,
    });
    new EventSourceMapping(this, `${pascalCase(name)}Jobs`, {
      target: job,
      eventSourceArn: queue.queueArn,
      batchSize: answering.has(name) ? 1 : 10,
      reportBatchItemFailures: true,
    });
  }

  #addProcessor(service: Service, data: ServiceData, faults: Queue, jobs: readonly Job[], entry: string): void {
    const name = processorName(entry);
    const { statement, environment } = toQueueJobs(jobs);
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
        statement,
        new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [faults.queueArn] }),
      ],
      environment: { FAULT_QUEUE_URL: faults.queueUrl, ...environment },
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
