import { Annotations, Duration, Stack, Validations } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, FilterCriteria, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { S3OnFailureDestination } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { itemTypeNames, itemTypes } from "../../shared/dynamodb/item-types.ts";
import type { Config } from "../config.ts";
import { ServiceFunction } from "../constructs/api-function.ts";
import { StreamFailures } from "../constructs/stream-failures.ts";
import { fileProcessingEntry, jobName, pascalCase, processorName, queueUrlVariable } from "../naming.ts";
import type { Uses } from "../rights/uses.ts";
import { type DataResources, resourceName, type StackContext, type UploadResources } from "../stack-context.ts";

/** Job with its queue, and the name of the environment variable with the queue's URL. */
interface Job {
  readonly entry: string;
  readonly queue: Queue;
  readonly variable: string;
}

/**
 * Destinations of failures of stream processors: the queue of single changes, and the bucket of batches that Lambda stopped
 * retrying.
 */
interface ChangeFailures {
  readonly faults: Queue;
  readonly failures: StreamFailures;
}

/** Queue of a job, as functions need it to send messages. */
interface JobQueue {
  readonly variable: string;
  readonly url: string;
  readonly arn: string;
}

/** Returns the IAM statement and environment variables with which a function sends messages to the queues that it uses. */
function jobQueueAccess(queues: readonly JobQueue[], uses: Uses) {
  const used = queues.filter(({ variable }) => uses.variables.some((name) => name === variable));
  return {
    statements:
      used.length > 0
        ? [new PolicyStatement({ actions: ["sqs:SendMessage"], resources: used.map(({ arn }) => arn) })]
        : [],
    environment: Object.fromEntries(used.map(({ variable, url }) => [variable, url])),
  };
}

function createDeadLetterQueue(scope: Construct, id: string, queueName: string): Queue {
  const queue = new Queue(scope, id, {
    queueName,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({ id: "AwsSolutions-SQS3", reason: "This queue is a dead-letter queue." });
  return queue;
}

/** Jobs that generate replies. An invocation takes as long as a reply, so it receives only one message. */
const modelJobs: ReadonlySet<string> = new Set(["continue-run"]);

/** Jobs that send requests to servers that can be slow. */
const fetchingJobs: ReadonlySet<string> = new Set(["run-import", "deliver-event"]);

/** Jobs that receive one message per invocation. */
const singleMessageJobs: ReadonlySet<string> = new Set([...modelJobs, "run-import"]);

/**
 * Returns true for a job to which the settings let no function send messages. In the local runner, settings change without a
 * synthesis, so all jobs exist.
 */
const isUnused = (name: string, { stage, settings }: Config) =>
  name === "embed-passages" && stage !== "local" && settings.model.EMBEDDING_PROVIDER === "none";

/**
 * Returns the maximum number of concurrent invocations of a job in `fetchingJobs`. Their queues are fair ones: they serve
 * tenants or endpoints in turn.
 */
const fetchingConcurrency = (name: string, { deliveryConcurrency }: Config) =>
  name === "deliver-event" ? deliveryConcurrency : 10;

/**
 * Jobs that process the dead letters of another job, by that job's name. They retry for hours, because without them a
 * failed import would stay in the state `running`.
 */
const failureJobs: Readonly<Record<string, string>> = { "run-import": "fail-import" };
const isFailureJob = (name: string) => Object.values(failureJobs).includes(name);

const indexingProcessor = "index-documents";

/**
 * Maximum number of changes in one batch of the processor that indexes documents. Documents in a batch share the writes of
 * common words: in a batch of 400, each takes half as many write units as in one of 100.
 */
const INDEXING_BATCH_SIZE = 400;

/** Item types that change often and whose changes no stream processor needs. Filtering them out saves invocations. */
const ignoredItemTypes = itemTypeNames.filter((name) => itemTypes[name].processors.length === 0);

/**
 * Returns Lambda event filters for changes of items whose type matches one of the patterns. A deleted item has an old
 * image only.
 * @param typePatterns item types, or filter rules such as `{ "anything-but": […] }`
 */
function itemFilters(typePatterns: readonly unknown[]) {
  const image = { discriminator: { S: typePatterns } };
  return [
    FilterCriteria.filter({ dynamodb: { NewImage: image } }),
    FilterCriteria.filter({ eventName: ["REMOVE"], dynamodb: { OldImage: image } }),
  ];
}

const indexingFilters = itemFilters(
  itemTypeNames.filter((name) => itemTypes[name].processors.includes("index-documents")),
);

/**
 * Event filters of the stream processor `cascade`. Of the rate counters of keys, only the insertion is delivered, because it
 * shows that a key is in use; they change with each request.
 */
const cascadeFilters = [
  ...itemFilters([{ "anything-but": ignoredItemTypes }]),
  FilterCriteria.filter({ eventName: ["INSERT"], dynamodb: { NewImage: { discriminator: { S: ["key-rate"] } } } }),
];

/**
 * Stack of the stream processors, which read the table's stream independently of each other, and of the jobs, each of which
 * consumes its own queue.
 */
export class ChangesStack extends Stack {
  constructor(scope: Construct, id: string, context: StackContext, data: DataResources, uploads: UploadResources) {
    super(scope, id, { description: "Switchboard: what follows from changes" });
    // The queues are separate because changes, batches and jobs are redriven differently, see `infra/commands/redrive.ts`.
    const faults = createDeadLetterQueue(this, "Faults", resourceName(context, "faults"));
    const failedBatches = createDeadLetterQueue(this, "StreamFailures", resourceName(context, "stream-failures"));
    const failures = new StreamFailures(this, "FailedBatches", context, failedBatches);
    const failedJobs = createDeadLetterQueue(this, "FailedJobs", resourceName(context, "failed-jobs"));
    if (context.bundle.processors.length > 2) {
      Annotations.of(this).addWarningV2(
        "switchboard:stream-readers",
        "More than two stream processors throttle each other: a stream supports two readers per shard.",
      );
    }
    // The job that reads files is part of the stack of its bucket.
    const jobs: Job[] = [];
    const entries = context.bundle.jobs.filter(
      (entry) => entry !== fileProcessingEntry && !isUnused(jobName(entry), context.config),
    );
    // Queues of jobs that receive failed messages exist before the queues whose messages they receive.
    for (const entry of entries.toSorted(
      (a, b) => Number(isFailureJob(jobName(b))) - Number(isFailureJob(jobName(a))),
    )) {
      const failureJob = jobs.find((job) => jobName(job.entry) === failureJobs[jobName(entry)]);
      jobs.push(this.#createQueue(context, failureJob?.queue ?? failedJobs, entry));
    }
    const queues: JobQueue[] = [
      ...jobs.map(({ variable, queue }) => ({ variable, url: queue.queueUrl, arn: queue.queueArn })),
      { variable: queueUrlVariable(jobName(fileProcessingEntry)), url: uploads.queueUrl, arn: uploads.queueArn },
    ];
    for (const job of jobs) this.#addJob(context, data, queues, job);
    for (const entry of context.bundle.processors)
      this.#addProcessor(context, data, { faults, failures }, queues, entry);
  }

  #createQueue(context: StackContext, failedJobs: Queue, entry: string): Job {
    const name = jobName(entry);
    const queue = new Queue(this, `${pascalCase(name)}Queue`, {
      queueName: resourceName(context, name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times the function timeout, as AWS recommends; less for imports, which wait for it when their function is killed.
      visibilityTimeout: Duration.minutes(modelJobs.has(name) ? 90 : fetchingJobs.has(name) ? 2 : 6),
      deadLetterQueue: { queue: failedJobs, maxReceiveCount: isFailureJob(name) ? 100 : 5 },
    });
    return { entry, queue, variable: queueUrlVariable(name) };
  }

  #addJob(context: StackContext, data: DataResources, queues: readonly JobQueue[], { entry, queue }: Job): void {
    const name = jobName(entry);
    const { statements, environment } = jobQueueAccess(queues, context.usesOf(name));
    const job = new ServiceFunction(this, pascalCase(name), {
      context,
      kind: modelJobs.has(name) ? "modelJob" : "changes",
      name,
      entry,
      description: `Job: ${name}`,
      data,
      allowsRecursion: true,
      statements: [
        ...statements,
        new PolicyStatement({
          actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
          resources: [queue.queueArn],
        }),
      ],
      environment,
    });
    new EventSourceMapping(this, `${pascalCase(name)}Jobs`, {
      target: job,
      eventSourceArn: queue.queueArn,
      batchSize: singleMessageJobs.has(name) ? 1 : 10,
      reportBatchItemFailures: true,
      ...(fetchingJobs.has(name) && { maxConcurrency: fetchingConcurrency(name, context.config) }),
    });
  }

  #addProcessor(
    context: StackContext,
    data: DataResources,
    { faults, failures }: ChangeFailures,
    queues: readonly JobQueue[],
    entry: string,
  ): void {
    const name = processorName(entry);
    const { statements, environment } = jobQueueAccess(queues, context.usesOf(`changes-${name}`));
    const streamArn = String(data.table.tableStreamArn);
    const isIndexing = name === indexingProcessor;
    const processor = new ServiceFunction(this, pascalCase(name), {
      context,
      kind: isIndexing ? "indexing" : "changes",
      name: `changes-${name}`,
      entry,
      description: `Process changes: ${name}`,
      data,
      statements: [
        new PolicyStatement({
          actions: ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"],
          resources: [streamArn],
        }),
        new PolicyStatement({ actions: ["dynamodb:ListStreams"], resources: ["*"] }),
        ...statements,
        new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [faults.queueArn] }),
        ...failures.statements,
      ],
      environment: { FAULT_QUEUE_URL: faults.queueUrl, ...environment },
    });
    new EventSourceMapping(this, `${pascalCase(name)}Changes`, {
      target: processor,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: isIndexing ? INDEXING_BATCH_SIZE : 100,
      maxBatchingWindow: Duration.seconds(context.config.changesWindowSeconds),
      // Isolates a change that cannot be processed, so that it does not block the others.
      bisectBatchOnError: true,
      filters: isIndexing ? indexingFilters : cascadeFilters,
      retryAttempts: 10,
      onFailure: new S3OnFailureDestination(failures.bucket),
    });
  }
}
