import { log } from "../lib/log.ts";

/** What Lambda hands over from a queue. */
interface QueueEvent {
  readonly Records: readonly { readonly messageId: string; readonly body: string }[];
}

/** Messages that are to be delivered again. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html */
interface QueueResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** A job: does what a queue's messages ask for; one that fails is delivered again, and in the end put aside. */
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
