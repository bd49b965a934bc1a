import type { ResponseRequest } from "../../api/openai/responses.ts";
import type { ServiceError } from "../../lib/errors.ts";
import type { ChunkChoice } from "../../models/chat-chunk.ts";
import type { Completion } from "../complete.ts";
import type { CompletionAnswer } from "../completion.ts";
import type { StreamFormat } from "../completion-stream.ts";
import { openaiError } from "../openai-error.ts";
import { tokensOf } from "../redacted-text.ts";
import {
  getReasoning,
  getReasoningField,
  hasReasoningSummary,
  type OutputItem,
  type ReasoningField,
  type ResponseObject,
  toCallItem,
  toMessageItem,
  toReasoningItem,
  toReasoningPart,
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
  readonly id: string;
  readonly type: string;
  readonly outputIndex: number;
  /** Kinds of the content parts that were started: text or refusal. */
  readonly parts: string[];
}

/** Names of the reasoning events, by whether the caller asked for a summary. */
const reasoningEvents = {
  summary: { part: "response.reasoning_summary_part", text: "response.reasoning_summary_text", index: "summary_index" },
  content: { part: "response.content_part", text: "response.reasoning_text", index: "content_index" },
} as const;

/**
 * Converts the chunks of one completion to the events of the responses API. Items stay open until the answer is complete,
 * because chunks of several items may alternate.
 */
class EventWriter {
  readonly #request: ResponseRequest;
  readonly #completion: Completion;
  readonly #items = new Map<string, OpenItem>();
  /** Ids of calls by index. */
  readonly #callIds = new Map<number, string>();
  sequence = 0;

  constructor(request: ResponseRequest, completion: Completion) {
    this.#request = request;
    this.#completion = completion;
  }

  format(type: string, fields: Readonly<Record<string, unknown>>): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.sequence++, ...fields })}\n\n`;
  }

  /** Adds a choice of a chunk and yields its events. */
  *take({ delta, logprobs }: ChunkChoice): Generator<string, void> {
    const { content, refusal, tool_calls } = delta;
    const reasoning = getReasoning(delta);
    if (reasoning) {
      const item = yield* this.#openReasoning(getReasoningField(delta));
      const { text, index } = this.#reasoningEvents;
      yield this.format(`${text}.delta`, { ...at(item), [index]: 0, delta: reasoning });
    }
    if (typeof content === "string" && content) {
      const [item, part] = yield* this.#openPart("text");
      const event = { ...at(item), content_index: part, delta: content, logprobs: tokensOf(logprobs) };
      yield this.format("response.output_text.delta", event);
    }
    if (typeof refusal === "string" && refusal) {
      const [item, part] = yield* this.#openPart("refusal");
      yield this.format("response.refusal.delta", { ...at(item), content_index: part, delta: refusal });
    }
    for (const call of (tool_calls ?? []) as readonly CallDelta[]) {
      const item = yield* this.#openCall(call);
      if (!item) continue;
      const argumentsDelta = call.function?.arguments;
      // The input of a custom tool is a string in the arguments, so it is known when they are complete.
      if (argumentsDelta && item.type === "function_call") {
        yield this.format("response.function_call_arguments.delta", { ...at(item), delta: argumentsDelta });
      }
    }
  }

  get #reasoningEvents() {
    return reasoningEvents[hasReasoningSummary(this.#request) ? "summary" : "content"];
  }

  *#openItem(key: string, started: OutputItem): Generator<string, OpenItem> {
    const item = { id: started.id, type: started.type, outputIndex: this.#items.size, parts: [] };
    this.#items.set(key, item);
    yield this.format("response.output_item.added", { output_index: item.outputIndex, item: started });
    return item;
  }

  *#openReasoning(field: ReasoningField): Generator<string, OpenItem> {
    const open = this.#items.get("reasoning");
    if (open) return open;
    const started = { ...toReasoningItem(this.#request, this.#completion.head, "", field), summary: [], content: [] };
    const item = yield* this.#openItem("reasoning", started);
    const { part, index } = this.#reasoningEvents;
    yield this.format(`${part}.added`, { ...at(item), [index]: 0, part: toReasoningPart(this.#request, "") });
    return item;
  }

  *#openPart(kind: "text" | "refusal"): Generator<string, [OpenItem, partIndex: number]> {
    const item =
      this.#items.get("message") ??
      (yield* this.#openItem("message", toMessageItem(this.#completion.head, "in_progress", [])));
    const known = item.parts.indexOf(kind);
    if (known >= 0) return [item, known];
    const part = kind === "text" ? toTextPart("") : { type: "refusal", refusal: "" };
    const partIndex = item.parts.push(kind) - 1;
    yield this.format("response.content_part.added", { ...at(item), content_index: partIndex, part });
    return [item, partIndex];
  }

  /** Opens the item of a call as soon as its name is known, because the name tells the type of the item. */
  *#openCall({ index, id, function: called }: CallDelta): Generator<string, OpenItem | undefined> {
    const key = `call ${index}`;
    const open = this.#items.get(key);
    if (open) return open;
    if (id) this.#callIds.set(index, id);
    if (!called?.name) return undefined;
    const call = { id: this.#callIds.get(index) ?? "", function: { name: called.name, arguments: "" } };
    return yield* this.#openItem(key, toCallItem(this.#request, this.#completion.head, index, "in_progress", call));
  }

  /** Ends all items, and yields the last events with the complete response. */
  *end(answer: CompletionAnswer): Generator<string, ResponseObject> {
    const response = toResponse(this.#request, answer);
    const open = [...this.#items.values()];
    const output = response.output.toSorted((a, b) => indexOf(open, a) - indexOf(open, b));
    for (const item of output) {
      const started = open.find(({ id }) => id === item.id);
      if (started) yield* this.#close(started, item);
    }
    return { ...response, output };
  }

  *#close(open: OpenItem, item: OutputItem): Generator<string, void> {
    const position = at(open);
    switch (item.type) {
      case "message":
        yield* this.#closeParts(open, item.content as readonly Record<string, unknown>[]);
        break;
      case "reasoning": {
        const { part: partEvent, text: textEvent, index } = this.#reasoningEvents;
        const [part] = [...(item.summary as { text: string }[]), ...((item.content ?? []) as { text: string }[])];
        yield this.format(`${textEvent}.done`, { ...position, [index]: 0, text: part?.text ?? "" });
        yield this.format(`${partEvent}.done`, { ...position, [index]: 0, part });
        break;
      }
      case "function_call": {
        const { name, arguments: json } = item;
        yield this.format("response.function_call_arguments.done", { ...position, name, arguments: json });
        break;
      }
      case "custom_tool_call":
        yield this.format("response.custom_tool_call_input.delta", { ...position, delta: item.input });
        yield this.format("response.custom_tool_call_input.done", { ...position, input: item.input });
    }
    yield this.format("response.output_item.done", { output_index: open.outputIndex, item });
  }

  *#closeParts(open: OpenItem, parts: readonly Record<string, unknown>[]): Generator<string, void> {
    for (const part of parts) {
      const content_index = open.parts.indexOf(part.type === "refusal" ? "refusal" : "text");
      const position = { ...at(open), content_index };
      if (part.type === "refusal") {
        yield this.format("response.refusal.done", { ...position, refusal: part.refusal });
      } else {
        for (const [annotation_index, annotation] of (part.annotations as unknown[]).entries()) {
          yield this.format("response.output_text.annotation.added", { ...position, annotation_index, annotation });
        }
        yield this.format("response.output_text.done", { ...position, text: part.text, logprobs: part.logprobs });
      }
      yield this.format("response.content_part.done", { ...position, part });
    }
  }
}

const at = ({ id, outputIndex }: OpenItem) => ({ item_id: id, output_index: outputIndex });

/** Returns the position of an item in the stream; items that were not streamed come last. */
function indexOf(open: readonly OpenItem[], { id }: OutputItem): number {
  return open.find((item) => item.id === id)?.outputIndex ?? open.length;
}

/**
 * Returns the stream format of the responses API.
 * @param onResponse called with the response before the last event, so that the next request finds a stored response
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function responseFormat(
  request: ResponseRequest,
  onResponse: (response: ResponseObject, answer: CompletionAnswer) => Promise<void>,
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
