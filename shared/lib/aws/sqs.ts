import { awsJsonClient } from "./aws-client.ts";

let send: ReturnType<typeof awsJsonClient> | undefined;

/**
 * Sends a message to an SQS queue.
 * @param delaySeconds time until the message can be received, at most 900
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export async function sendToQueue(url: string, body: string, delaySeconds = 0): Promise<void> {
  send ??= awsJsonClient("AmazonSQS", {
    environmentName: "SQS",
    hostPrefix: "sqs",
    signingName: "sqs",
    timeoutMs: 5_000,
    maxAttempts: 3,
  });
  await send("SendMessage", JSON.stringify({ QueueUrl: url, MessageBody: body, DelaySeconds: delaySeconds }));
}
