import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";

let client: SQSClient | undefined;

/**
 * Puts a message into a queue.
 * @param delay seconds until anybody gets it, at most 900
 */
export async function sendToQueue(url: string, body: string, delay = 0): Promise<void> {
  client ??= new SQSClient({});
  await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body, DelaySeconds: delay }));
}
