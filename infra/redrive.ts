import { pathToFileURL } from "node:url";
import { awsClient, awsJsonClient } from "../shared/lib/aws/aws-client.ts";

const limits = { timeoutMs: 65_000, maxAttempts: 3 } as const;

const sqsClient = () =>
  awsJsonClient("AmazonSQS", { environmentName: "SQS", hostPrefix: "sqs", signingName: "sqs", ...limits });

/** Calls operations of SQS by name. */
type Sqs = (operation: string, input: object) => Promise<Record<string, unknown>>;

/** Message of SQS, as far as it is used here. */
interface QueueMessage {
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: { readonly SentTimestamp: string };
}

/** Change that a stream processor could not process, with the function that failed and the stream record. */
interface Fault {
  readonly tags?: { readonly functionname?: string };
  readonly uow?: { readonly record?: object };
}

/** Numbers of changes that were processed again, and of messages that stay in the queue. */
export interface RedriveResult {
  readonly processed: number;
  readonly remaining: number;
}

/** Time for which a received message is hidden: the timeout of a stream processor and a reserve. */
const VISIBILITY_TIMEOUT_SECONDS = 120;

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

/**
 * Processes one change again: invokes its stream processor with the stored record.
 * @returns false if the message has no record, because the fault was too large or Lambda gave up a whole batch, or if the
 * processor crashes
 */
async function processAgain(invoke: ReturnType<typeof awsClient>, body: string): Promise<boolean> {
  const { tags, uow } = JSON.parse(body) as Fault;
  if (!tags?.functionname || !uow?.record) return false;
  const reply = await invoke({
    path: `/2015-03-31/functions/${tags.functionname}/invocations`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ Records: [uow.record] }),
  });
  // A processor returns nothing; the reply of a failed invocation is an object with the error.
  return reply === null;
}

/**
 * Processes the changes in the fault queue again, and deletes those that succeed. A change that fails again is put back by
 * its processor as a new message, which this run leaves alone.
 */
async function processFaults(sqs: Sqs, QueueUrl: string): Promise<RedriveResult> {
  const invoke = awsClient({ environmentName: "LAMBDA", hostPrefix: "lambda", signingName: "lambda", ...limits });
  const startedAt = Date.now();
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
    const isNew = Number(message.Attributes.SentTimestamp) >= startedAt;
    if (!isNew && (await processAgain(invoke, message.Body))) {
      await sqs("DeleteMessage", { QueueUrl, ReceiptHandle: message.ReceiptHandle });
      processed++;
    } else remaining++;
  }
}

/**
 * Works off a dead-letter queue of the service: changes of a queue with the name `…-faults` are processed again, and jobs
 * go back to their queue.
 * @throws AwsError if the queue does not exist
 */
export async function redrive(queueName: string): Promise<RedriveResult | { readonly task: string }> {
  const client = sqsClient();
  const sqs: Sqs = (operation, input) => client(operation, JSON.stringify(input));
  const { QueueUrl } = await sqs("GetQueueUrl", { QueueName: queueName });
  const holdsChanges = /^[^-]+-[^-]+-faults$/.test(queueName);
  return holdsChanges ? processFaults(sqs, String(QueueUrl)) : { task: await moveMessages(sqs, String(QueueUrl)) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [, , queueName] = process.argv;
  if (!queueName) throw new Error("Name the queue: npm run redrive -- switchboard-<stage>-failed-jobs");
  console.log(await redrive(queueName));
}
