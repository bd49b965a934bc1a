import type { OpenaiResponse } from "../../api/openai/answers.ts";
import type { ResponseRequest } from "../../api/openai/responses.ts";
import type { ServiceError } from "../../lib/errors.ts";
import type { CompletionAnswer } from "../completions/completion.ts";
import type { StreamFormat } from "../completions/completion-stream.ts";
import { openaiError } from "../openai-error.ts";
import { EventWriter } from "./event-writer.ts";
import { toStartedResponse } from "./response-object.ts";

/**
 * Returns the stream format of the responses API.
 * @param onResponse called with the complete response before the last event is sent, so that the response is stored
 * before a client can refer to it
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function responseFormat(
  request: ResponseRequest,
  onResponse: (response: OpenaiResponse, answer: CompletionAnswer) => Promise<void>,
): StreamFormat {
  let writer: EventWriter | undefined;
  return {
    async *events(completion) {
      writer = new EventWriter(request, completion);
      const started = toStartedResponse(request, completion.head);
      yield writer.format("response.created", { response: started });
      yield writer.format("response.in_progress", { response: started });
      for await (const { choices } of completion.deltas) {
        for (const choice of choices) yield* writer.take(choice);
      }
      const answer = completion.answer();
      const response = yield* writer.end(answer);
      await onResponse(response, answer);
      yield writer.format(`response.${response.status}`, { response });
    },
    error(error: ServiceError) {
      const { message, code, param } = openaiError(error).error;
      const data = {
        type: "error",
        sequence_number: writer?.sequence ?? 0,
        code: code ?? "server_error",
        message,
        param,
      };
      return `event: error\ndata: ${JSON.stringify(data)}\n\n`;
    },
  };
}
