import { randomUUID } from "node:crypto";
import { account } from "../assembly/local-account.ts";
import { AwsException } from "../aws-json.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { md5, type Queue, type QueueMessage } from "./queue.ts";

/**
 * Handlers of SQS operations, by name.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html
 */
const operations: Record<string, (queue: Queue, input: Fields) => object | Promise<object>> = {
  SendMessage: (queue, input) => send(queue, input),
  SendMessageBatch: (queue, input) => batch(input, (entry) => send(queue, entry)),
  ReceiveMessage: receive,
  DeleteMessage: (queue, { ReceiptHandle }) => {
    queue.delete(String(ReceiptHandle));
    return {};
  },
  DeleteMessageBatch: (queue, input) =>
    batch(input, ({ ReceiptHandle }) => {
      queue.delete(String(ReceiptHandle));
      return {};
    }),
  ChangeMessageVisibility: (queue, { ReceiptHandle, VisibilityTimeout }) => {
    queue.changeVisibility(String(ReceiptHandle), number(VisibilityTimeout, 30) * 1000);
    return {};
  },
  GetQueueUrl: () => ({}),
  GetQueueAttributes: (queue) => {
    const { visible, inFlight, delayed } = queue.counts();
    const Attributes = {
      QueueArn: queue.options.arn,
      ApproximateNumberOfMessages: String(visible),
      ApproximateNumberOfMessagesNotVisible: String(inFlight),
      ApproximateNumberOfMessagesDelayed: String(delayed),
    };
    return { Attributes };
  },
};

/**
 * Handles a call of the SQS JSON protocol.
 * @throws AwsError when the queue does not exist, the operation is not supported or the input is invalid
 */
export async function callSqs(queues: Queue[], baseUrl: string, operation: string, input: Fields): Promise<object> {
  if (operation === "StartMessageMoveTask") return moveMessages(queues, input);
  const name = text(input.QueueName) ?? text(input.QueueUrl)?.split("/").at(-1);
  const queue = queues.find(({ options }) => options.name === name);
  if (!queue) throw new AwsException("com.amazonaws.sqs#QueueDoesNotExist", "The specified queue does not exist.");
  if (operation === "GetQueueUrl") return { QueueUrl: `${baseUrl}/${account}/${name}` };
  const perform = operations[operation];
  if (!perform)
    throw new AwsException("com.amazonaws.sqs#UnsupportedOperation", `The local SQS does not support ${operation}.`);
  return perform(queue, input);
}

/**
 * Moves the messages of a dead-letter queue back to their source queues at once; SQS does this in the background.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
function moveMessages(queues: readonly Queue[], { SourceArn }: Fields): object {
  const source = queues.find(({ options }) => options.arn === SourceArn);
  if (!source || !queues.some(({ options }) => options.deadLetterArn === SourceArn)) {
    throw new AwsException(
      "com.amazonaws.sqs#ResourceNotFoundException",
      "SourceArn is not the ARN of a dead-letter queue.",
    );
  }
  for (const { sourceArn, body, attributes, groupId } of source.takeDeadLetters()) {
    queues.find(({ options }) => options.arn === sourceArn)?.send(body, attributes, undefined, groupId);
  }
  return { TaskHandle: randomUUID() };
}

function send(queue: Queue, { MessageBody, MessageAttributes, MessageGroupId, DelaySeconds }: Fields): object {
  const body = text(MessageBody);
  if (!body) {
    throw new AwsException("com.amazonaws.sqs#MissingParameter", "The request must contain the parameter MessageBody.");
  }
  if (Buffer.byteLength(body) > 1024 * 1024) {
    throw new AwsException(
      "com.amazonaws.sqs#InvalidParameterValue",
      "One or more parameters are invalid: message too long.",
    );
  }
  const delayMs = DelaySeconds === undefined ? undefined : number(DelaySeconds, 0) * 1000;
  const message = queue.send(body, fields(MessageAttributes), delayMs, text(MessageGroupId));
  return { MessageId: message.id, MD5OfMessageBody: md5(body) };
}

function batch(input: Fields, perform: (entry: Fields) => object): object {
  return {
    Successful: list(input.Entries)
      .map(fields)
      .map((entry) => ({ Id: entry.Id, ...perform(entry) })),
    Failed: [],
  };
}

async function receive(queue: Queue, input: Fields): Promise<object> {
  const limit = Math.min(number(input.MaxNumberOfMessages, 1), 10);
  const visibilityTimeoutMs =
    input.VisibilityTimeout === undefined ? undefined : number(input.VisibilityTimeout, 30) * 1000;
  let received = queue.receive(limit, visibilityTimeoutMs);
  const waitSeconds = number(input.WaitTimeSeconds, 0);
  if (received.length === 0 && waitSeconds > 0) {
    await queue.waitForMessage(AbortSignal.timeout(waitSeconds * 1000));
    received = queue.receive(limit, visibilityTimeoutMs);
  }
  return received.length === 0 ? {} : { Messages: received.map(messageOutput) };
}

function messageOutput(message: QueueMessage): object {
  return {
    MessageId: message.id,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: md5(message.body),
    MessageAttributes: message.attributes,
    Attributes: systemAttributes(message),
  };
}

/** Returns the system attributes that SQS adds to a message. */
export function systemAttributes(message: QueueMessage): Record<string, string> {
  return {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAt),
    SenderId: account,
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
  };
}
