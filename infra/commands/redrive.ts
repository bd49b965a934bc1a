import { awsClient, awsJsonClient } from "../../shared/lib/aws/aws-client.ts";
import { deleteObject, findObject } from "../../shared/lib/aws/s3.ts";
import { runScript, UsageError } from "./script.ts";

const limits = { timeoutMs: 65_000, maxAttempts: 3 } as const;

const sqsClient = () =>
  awsJsonClient("AmazonSQS", { environmentName: "SQS", hostPrefix: "sqs", signingName: "sqs", ...limits });

/** Calls operations of SQS by name. */
type Sqs = (operation: string, input: object) => Promise<Record<string, unknown>>;

/** Fields of an SQS message that this script reads. */
interface QueueMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: { readonly SentTimestamp: string };
}

/** Change that a stream processor could not process, with the function that failed and the stream record. */
interface Fault {
  readonly tags?: { readonly functionname?: string };
  readonly uow?: { readonly record?: object };
}

/** EventBridge event that names a stored batch of changes. */
interface BatchStored {
  readonly detail?: { readonly bucket?: { readonly name?: string }; readonly object?: { readonly key?: string } };
}

/**
 * Batch of changes that Lambda gave up on, as stored in S3.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
interface FailedBatch {
  readonly requestContext: { readonly functionArn: string };
  /** Event of the failed invocation, as JSON text. */
  readonly payload: string;
}

/** Numbers of messages whose changes were processed again, and of messages that stay in the queue. */
export interface RedriveResult {
  readonly processed: number;
  readonly remaining: number;
}

/** Longest timeout of a stream processor, with a margin. */
const PROCESSOR_TIMEOUT_MS = 140_000;

/** Time for which a received message is hidden from other receivers. */
const VISIBILITY_TIMEOUT_SECONDS = 180;

/** Size limit of a stored batch: an event of 6 MB, whose JSON text is escaped as a string within JSON. */
const MAX_BATCH_BYTES = 24_000_000;

type Invoke = ReturnType<typeof awsClient>;

/** Processes again the changes that a message contains or names. Returns false if that is not possible, or if it fails. */
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
 * Moves the messages of a dead-letter queue back to the queues that they come from.
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

/** Processes one change again. A message has no record if the fault was too large. */
const processFault: ProcessMessage = async (invoke, body) => {
  const { tags, uow } = JSON.parse(body) as Fault;
  if (!tags?.functionname || !uow?.record) return false;
  return invokeProcessor(invoke, tags.functionname, JSON.stringify({ Records: [uow.record] }));
};

/** Processes a batch again that Lambda gave up on, and deletes it. A batch that does not exist has expired. */
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
 * Processes the changes of a queue again, and deletes the messages of those that succeed. A change that fails again is put back
 * by its processor as a new message, which this run leaves alone.
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

/** Queues of changes by the part of the name that follows the stage. */
const changeQueues: ReadonlyMap<string, ProcessMessage> = new Map([
  ["faults", processFault],
  ["stream-failures", processBatch],
]);

/**
 * Redrives a queue of failures: processes changes and batches of changes again, and moves jobs back to their queue.
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
