import { sha256 } from "../hash.ts";
import { findTraceContext } from "../tracing/trace-context.ts";
import { awsJsonClient } from "./aws-client.ts";

/** Maximum delay of a message in SQS. Callers that need a longer delay send the message again when it arrives. */
export const MAX_DELAY_SECONDS = 900;

let send: ReturnType<typeof awsJsonClient> | undefined;

/**
 * Sends a message to an SQS queue, with the trace context as its attributes.
 * @param delaySeconds time until the message can be received, at most `MAX_DELAY_SECONDS`
 * @param group tenant whose messages must not delay those of others
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
 */
export async function sendToQueue(url: string, body: string, delaySeconds = 0, group?: string): Promise<void> {
  send ??= awsJsonClient("AmazonSQS", {
    environmentName: "SQS",
    hostPrefix: "sqs",
    signingName: "sqs",
    timeoutMs: 5_000,
    maxAttempts: 3,
  });
  const message = { QueueUrl: url, MessageBody: body, DelaySeconds: delaySeconds };
  // A group id has at most 128 characters of ASCII.
  const MessageGroupId = group && sha256(group);
  const trace = Object.entries(findTraceContext() ?? {}).map(([name, StringValue]) => [
    name,
    { DataType: "String", StringValue },
  ]);
  await send(
    "SendMessage",
    JSON.stringify({
      ...message,
      ...(MessageGroupId && { MessageGroupId }),
      ...(trace.length > 0 && { MessageAttributes: Object.fromEntries(trace) }),
    }),
  );
}
