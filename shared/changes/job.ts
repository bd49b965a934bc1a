import { log } from "../lib/log.ts";

/** Fields of an SQS event that the handler reads. */
interface QueueEvent {
  readonly Records: readonly { readonly messageId: string; readonly body: string }[];
}

/** Partial batch response: messages to redeliver. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html */
interface QueueResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** Creates the Lambda handler of an SQS queue. Failed messages are redelivered and end up in the dead-letter queue. */
export function job<Message>(run: (message: Message) => Promise<void>) {
  return async ({ Records }: QueueEvent): Promise<QueueResult> => {
    const results = await Promise.allSettled(Records.map(async ({ body }) => run(JSON.parse(body) as Message)));
    const batchItemFailures = results.flatMap((result, index) => {
      if (result.status === "fulfilled") return [];
      log.error("job failed", { error: result.reason });
      return [{ itemIdentifier: Records[index]?.messageId ?? "" }];
    });
    return { batchItemFailures };
  };
}
