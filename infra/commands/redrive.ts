import { awsClient, awsJsonClient } from "../../shared/lib/aws/aws-client.ts";
import { deleteObject, findObject } from "../../shared/lib/aws/s3.ts";
import { runScript, UsageError } from "./script.ts";

const limits = { timeoutMs: 65_000, maxAttempts: 3 } as const;

const sqsClient = () =>
  awsJsonClient("AmazonSQS", { environmentName: "SQS", hostPrefix: "sqs", signingName: "sqs", ...limits });

/** Function that calls an operation of SQS by name. */
type Sqs = (operation: string, input: object) => Promise<Record<string, unknown>>;

/** Fields of an SQS message that this command reads. */
interface QueueMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: { readonly SentTimestamp: string };
}

/** Message of the fault queue: the stream record that could not be processed, and the name of the function that failed. */
interface Fault {
  readonly tags?: { readonly functionname?: string };
  readonly uow?: { readonly record?: object };
}

/** Message of the queue of failed batches: the EventBridge event for a stored batch. */
interface BatchStored {
  readonly detail?: { readonly bucket?: { readonly name?: string }; readonly object?: { readonly key?: string } };
}

/**
 * Failed batch of changes in S3, which Lambda stores when it stops retrying.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
interface FailedBatch {
  readonly requestContext: { readonly functionArn: string };
  /** Event of the failed invocation, as JSON text. */
  readonly payload: string;
}

/** Number of messages that were processed and deleted, and number of messages that stay in the queue. */
interface RedriveResult {
  readonly processed: number;
  readonly remaining: number;
}

/** Maximum duration of an invocation: the longest timeout of a stream processor and a margin. */
const PROCESSOR_TIMEOUT_MS = 140_000;

/** Time for which a received message is hidden from other receivers. */
const VISIBILITY_TIMEOUT_SECONDS = 180;

/** Size limit of a stored batch: an event of 6 MB, whose JSON text is escaped as a string within JSON. */
const MAX_BATCH_BYTES = 24_000_000;

type Invoke = ReturnType<typeof awsClient>;

/** Processes the changes in a message of a failure queue again. Returns false if the message has none or they fail again. */
type ProcessMessage = (invoke: Invoke, body: string) => Promise<boolean>;

/**
 * Invokes a stream processor.
 * @param functionName name, or ARN with or without a version
 * @returns false if the processor crashes
 */
async function invokeProcessor(invoke: Invoke, functionName: string, event: string): Promise<boolean> {
  const name = functionName.startsWith("arn:") ? functionName.split(":")[6] : functionName;
  const reply = await invoke({
    path: `/2015-03-31/functions/${name}/invocations`,
    headers: { "content-type": "application/json" },
    body: event,
  });
  // A processor returns nothing; the reply of a failed invocation is an object with the error.
  return reply === null;
}

/**
 * Moves the messages of a dead-letter queue back to their source queues.
 * @returns the handle of the task, which SQS continues in the background
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
async function moveMessages(sqs: Sqs, QueueUrl: string): Promise<string> {
  const { Attributes } = await sqs("GetQueueAttributes", { QueueUrl, AttributeNames: ["QueueArn"] });
  const { TaskHandle } = await sqs("StartMessageMoveTask", {
    SourceArn: (Attributes as { QueueArn: string }).QueueArn,
  });
  return String(TaskHandle);
}

/**
 * Processes the change in a fault again. A fault that was too large for a message has no record, so that it cannot be
 * processed.
 */
const processFault: ProcessMessage = async (invoke, body) => {
  const { tags, uow } = JSON.parse(body) as Fault;
  if (!tags?.functionname || !uow?.record) return false;
  return invokeProcessor(invoke, tags.functionname, JSON.stringify({ Records: [uow.record] }));
};

/** Processes a failed batch again and deletes it from the bucket. A batch that has expired counts as done. */
const processBatch: ProcessMessage = async (invoke, body) => {
  const { bucket, object } = (JSON.parse(body) as BatchStored).detail ?? {};
  if (!bucket?.name || !object?.key) return false;
  const ref = { bucket: bucket.name, key: object.key };
  const content = await findObject(ref, MAX_BATCH_BYTES);
  if (!content) return true;
  const { requestContext, payload } = JSON.parse(content.toString()) as FailedBatch;
  if (!(await invokeProcessor(invoke, requestContext.functionArn, payload))) return false;
  await deleteObject(ref);
  return true;
};

/**
 * Processes all messages of a queue again and deletes those that succeed. If a change fails again, its stream processor sends
 * it as a new message, which this call ignores.
 */
async function processMessages(sqs: Sqs, QueueUrl: string, processAgain: ProcessMessage): Promise<RedriveResult> {
  const invoke = awsClient({
    environmentName: "LAMBDA",
    hostPrefix: "lambda",
    signingName: "lambda",
    ...limits,
    timeoutMs: PROCESSOR_TIMEOUT_MS,
  });
  const startedAt = Date.now();
  const seen = new Set<string>();
  let [processed, remaining] = [0, 0];
  for (;;) {
    const { Messages = [] } = (await sqs("ReceiveMessage", {
      QueueUrl,
      MaxNumberOfMessages: 1,
      VisibilityTimeout: VISIBILITY_TIMEOUT_SECONDS,
      MessageSystemAttributeNames: ["SentTimestamp"],
    })) as { Messages?: QueueMessage[] };
    const [message] = Messages;
    if (!message) return { processed, remaining };
    // A message that failed becomes visible again while this run works on others.
    if (seen.has(message.MessageId)) continue;
    seen.add(message.MessageId);
    const isNew = Number(message.Attributes.SentTimestamp) >= startedAt;
    if (!isNew && (await processAgain(invoke, message.Body))) {
      await sqs("DeleteMessage", { QueueUrl, ReceiptHandle: message.ReceiptHandle });
      processed++;
    } else remaining++;
  }
}

/** Handlers of the queues with changes, by the last part of the queue's name. */
const changeQueues: ReadonlyMap<string, ProcessMessage> = new Map([
  ["faults", processFault],
  ["stream-failures", processBatch],
]);

/**
 * Redrives a queue of failures. Processes the messages of a queue with changes, and moves those of a job's dead-letter queue
 * back.
 * @throws AwsError if the queue does not exist
 */
export async function redrive(queueName: string): Promise<RedriveResult | { readonly task: string }> {
  const client = sqsClient();
  const sqs: Sqs = (operation, input) => client(operation, JSON.stringify(input));
  const { QueueUrl } = await sqs("GetQueueUrl", { QueueName: queueName });
  const [, , ...name] = queueName.split("-");
  const processAgain = changeQueues.get(name.join("-"));
  return processAgain
    ? processMessages(sqs, String(QueueUrl), processAgain)
    : { task: await moveMessages(sqs, String(QueueUrl)) };
}

await runScript(import.meta, async ([queueName]) => {
  if (!queueName) throw new UsageError("Name the queue: npm run redrive -- switchboard-<stage>-failed-jobs");
  console.log(await redrive(queueName));
});
