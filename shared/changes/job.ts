import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { runInTraceContext, toTraceContext } from "../lib/tracing/trace-context.ts";

/** Fields of an SQS event that the handler reads. */
interface QueueEvent {
  readonly Records: readonly QueueMessage[];
}

interface QueueMessage {
  readonly messageId: string;
  readonly body: string;
  readonly messageAttributes?: Readonly<Record<string, { readonly stringValue?: string }>>;
}

/** Returns the trace context of the request that sent a message, or undefined if the message names none. */
const traceOf = ({ messageAttributes: { request_id, traceparent } = {} }: QueueMessage) =>
  request_id?.stringValue === undefined ? undefined : toTraceContext(request_id.stringValue, traceparent?.stringValue);

/**
 * Partial batch response of Lambda, which lists the messages to redeliver.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
interface QueueResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * Creates the Lambda handler of an SQS queue. SQS redelivers a message whose job fails and finally moves it to the
 * dead-letter queue. Batch size, visibility timeout and number of deliveries are in `infra/stacks/changes-stack.ts`,
 * and for uploaded files in `files-stack.ts`.
 */
export function job<Message>(run: (message: Message) => Promise<void>) {
  return async ({ Records }: QueueEvent): Promise<QueueResult> => {
    const attempt = async (message: QueueMessage) => {
      const startedAt = now();
      try {
        await run(JSON.parse(message.body) as Message);
        log.info("job done", { duration_ms: now() - startedAt });
        return [];
      } catch (error) {
        log.error("job failed", { error });
        return [{ itemIdentifier: message.messageId }];
      }
    };
    const failures = await Promise.all(
      Records.map((message) => runInTraceContext(traceOf(message), () => attempt(message))),
    );
    return { batchItemFailures: failures.flat() };
  };
}
