import type { ResponseRequest } from "../../api/openai/responses.ts";
import type { ServiceError } from "../../lib/errors.ts";
import type { Completion } from "../complete.ts";
import type { CompletionAnswer } from "../completion.ts";
import type { StreamFormat } from "../completion-stream.ts";
import { openaiError } from "../openai-error.ts";
import {
  toCallItem,
  toItemId,
  toMessageItem,
  toOutput,
  toReasoningItem,
  toResponse,
  toStartedResponse,
  toTextPart,
} from "./response-object.ts";

interface CallDelta {
  readonly index: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** Item of the output that is being streamed. */
interface OpenItem {
  readonly key: string;
  readonly id: string;
  readonly outputIndex: number;
}

/** Converts the chunks of one completion to the events of the responses API. */
class EventWriter {
  readonly #completion: Completion;
  #sequence = 0;
  #items = 0;
  #open: OpenItem | null = null;

  constructor(completion: Completion) {
    this.#completion = completion;
  }

  format(type: string, fields: Readonly<Record<string, unknown>>): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#sequence++, ...fields })}\n\n`;
  }

  /** Adds a chunk and yields its events. */
  *take(delta: Readonly<Record<string, unknown>>): Generator<string, void> {
    const { reasoning_content: reasoning, content, refusal, tool_calls } = delta;
    if (typeof reasoning === "string" && reasoning) {
      const item = yield* this.#openItem("reasoning");
      yield this.format("response.reasoning_text.delta", { ...at(item), content_index: 0, delta: reasoning });
    }
    if (typeof content === "string" && content) {
      const item = yield* this.#openItem("text");
      yield this.format("response.output_text.delta", { ...at(item), content_index: 0, delta: content, logprobs: [] });
    }
    if (typeof refusal === "string" && refusal) {
      const item = yield* this.#openItem("refusal");
      yield this.format("response.refusal.delta", { ...at(item), content_index: 0, delta: refusal });
    }
    for (const call of (tool_calls ?? []) as readonly CallDelta[]) {
      const item = yield* this.#openItem(`call ${call.index}`, call);
      const argumentsDelta = call.function?.arguments;
      if (argumentsDelta) {
        yield this.format("response.function_call_arguments.delta", { ...at(item), delta: argumentsDelta });
      }
    }
  }

  *#openItem(key: string, call?: CallDelta): Generator<string, OpenItem> {
    if (this.#open?.key === key) return this.#open;
    yield* this.close();
    const { head } = this.#completion;
    const prefix = call ? "fc" : key === "reasoning" ? "rs" : "msg";
    const item = { key, id: toItemId(head, prefix, call?.index ?? 0), outputIndex: this.#items++ };
    this.#open = item;
    const started = call
      ? toCallItem(item.id, "in_progress", {
          id: call.id ?? "",
          function: { name: call.function?.name ?? "", arguments: "" },
        })
      : key === "reasoning"
        ? { ...toReasoningItem(item.id, ""), content: [] }
        : toMessageItem(item.id, "in_progress", []);
    yield this.format("response.output_item.added", { output_index: item.outputIndex, item: started });
    if (key === "text" || key === "refusal") {
      const part = key === "text" ? toTextPart("") : { type: "refusal", refusal: "" };
      yield this.format("response.content_part.added", { ...at(item), content_index: 0, part });
    }
    return item;
  }

  /** Ends the open item with its complete content. */
  *close(): Generator<string, void> {
    const item = this.#open;
    if (!item) return;
    this.#open = null;
    const finished = toOutput(this.#completion.answer()).find(({ id }) => id === item.id);
    if (!finished) return;
    const { content, arguments: input, name } = finished as Record<string, unknown>;
    for (const part of (finished.type === "message" ? content : []) as readonly Record<string, unknown>[]) {
      if (part.type === "output_text") {
        yield this.format("response.output_text.done", {
          ...at(item),
          content_index: 0,
          text: part.text,
          logprobs: [],
        });
      } else {
        yield this.format("response.refusal.done", { ...at(item), content_index: 0, refusal: part.refusal });
      }
      yield this.format("response.content_part.done", { ...at(item), content_index: 0, part });
    }
    if (finished.type === "reasoning") {
      const [part] = content as readonly { text: string }[];
      yield this.format("response.reasoning_text.done", { ...at(item), content_index: 0, text: part?.text ?? "" });
    }
    if (finished.type === "function_call") {
      yield this.format("response.function_call_arguments.done", { ...at(item), name, arguments: input });
    }
    yield this.format("response.output_item.done", { output_index: item.outputIndex, item: finished });
  }
}

const at = ({ id, outputIndex }: OpenItem) => ({ item_id: id, output_index: outputIndex });

/**
 * Returns the stream format of the responses API.
 * @param onAnswer called with the answer before the last event, so that the next request finds a stored response
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function responseFormat(
  request: ResponseRequest,
  onAnswer: (answer: CompletionAnswer) => Promise<void>,
): StreamFormat {
  return {
    async *events(completion) {
      const writer = new EventWriter(completion);
      const response = toStartedResponse(request, completion.head);
      yield writer.format("response.created", { response });
      yield writer.format("response.in_progress", { response });
      for await (const { choices } of completion.deltas) {
        for (const { delta } of choices) yield* writer.take(delta);
      }
      yield* writer.close();
      const answer = completion.answer();
      await onAnswer(answer);
      const finished = toResponse(request, answer);
      yield writer.format(`response.${finished.status}`, { response: finished });
    },
    error(error: ServiceError) {
      const { message, code, param } = openaiError(error).error;
      const data = { type: "error", sequence_number: 0, code: code ?? "server_error", message, param };
      return `event: error\ndata: ${JSON.stringify(data)}\n\n`;
    },
  };
}
