import type { MessageRequest } from "../../api/openai/message-requests.ts";
import type { StreamFormat } from "../completions/completion-stream.ts";
import { estimateRequest } from "../estimate-request.ts";
import { anthropicError } from "./anthropic-error.ts";
import { BlockWriter, formatEvent } from "./block-writer.ts";
import { toMessageUsage, toStartedMessage, toStop } from "./message-object.ts";
import { messageToChatRequest } from "./message-to-chat-request.ts";

/** Estimates the prompt tokens of a request, without the instructions of its persona. */
const estimateInput = (request: MessageRequest): number => estimateRequest("", messageToChatRequest(request));

/**
 * Returns the stream format of the messages API.
 * @see https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
export const messageFormat = (request: MessageRequest): StreamFormat => ({
  heartbeat: formatEvent("ping"),
  async *events(completion) {
    const writer = new BlockWriter(request, completion);
    yield formatEvent("message_start", { message: toStartedMessage(completion.head, estimateInput(request)) });
    yield formatEvent("ping");
    for await (const { choices } of completion.deltas) {
      for (const choice of choices) yield* writer.take(choice);
    }
    const answer = completion.answer();
    yield* writer.end();
    yield formatEvent("message_delta", {
      delta: toStop(request, answer),
      usage: toMessageUsage(answer.reported),
    });
    yield formatEvent("message_stop");
  },
  error: (error) => {
    const { type, ...fields } = anthropicError(error);
    return formatEvent(type, fields);
  },
});
