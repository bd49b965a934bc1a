import type { OpenaiResponse } from "../../api/openai/answers.ts";
import type { ResponseRequest } from "../../api/openai/responses.ts";
import type { ChatToolCallDelta, ChunkChoice } from "../../models/chat-chunk.ts";
import type { Completion } from "../completions/complete.ts";
import type { CompletionAnswer } from "../completions/completion.ts";
import { tokensOf } from "../redacted-text.ts";
import { type OpenItem, withoutEarlierText } from "./open-item.ts";
import {
  getReasoning,
  getReasoningField,
  hasReasoningSummary,
  type OutputItem,
  type ReasoningField,
  toCallItem,
  toMessageItem,
  toReasoningItem,
  toReasoningPart,
  toResponse,
  toTextPart,
} from "./response-object.ts";

/** Event names for reasoning: `summary` if the caller asked for a summary, otherwise `content`. */
const reasoningEvents = {
  summary: { part: "response.reasoning_summary_part", text: "response.reasoning_summary_text", index: "summary_index" },
  content: { part: "response.content_part", text: "response.reasoning_text", index: "content_index" },
} as const;

/**
 * Converts the chunks of one completion to the events of the responses API. Reasoning ends before text or calls start.
 * Text and calls stay open until the answer is complete, because chunks of parallel calls may alternate.
 */
export class EventWriter {
  readonly #request: ResponseRequest;
  readonly #completion: Completion;
  /** All output items that were started, in order. */
  readonly #started: OpenItem[] = [];
  /** Output items that have not ended, by key: `reasoning`, `message`, or `call` and its index. */
  readonly #items = new Map<string, OpenItem>();
  /** Ids of tool calls, by the index of the call. */
  readonly #callIds = new Map<number, string>();
  #reasoningField: ReasoningField = "reasoning_content";
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
      item.text += reasoning;
      yield this.format(`${text}.delta`, { ...at(item), [index]: 0, delta: reasoning });
    }
    if (typeof content === "string" && content) {
      const [item, part] = yield* this.#openPart("text");
      item.text += content;
      item.logprobs.push(...tokensOf(logprobs));
      const event = { ...at(item), content_index: part, delta: content, logprobs: tokensOf(logprobs) };
      yield this.format("response.output_text.delta", event);
    }
    if (typeof refusal === "string" && refusal) {
      const [item, part] = yield* this.#openPart("refusal");
      yield this.format("response.refusal.delta", { ...at(item), content_index: part, delta: refusal });
    }
    for (const call of (tool_calls ?? []) as readonly ChatToolCallDelta[]) {
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
    const common = { id: started.id, type: started.type, parts: [], text: "", logprobs: [], done: null };
    const item: OpenItem = { ...common, outputIndex: this.#started.length };
    this.#started.push(item);
    this.#items.set(key, item);
    yield this.format("response.output_item.added", { output_index: item.outputIndex, item: started });
    return item;
  }

  *#openReasoning(field: ReasoningField): Generator<string, OpenItem> {
    const open = this.#items.get("reasoning");
    if (open) return open;
    const fields = toReasoningItem(this.#request, this.#completion.head, "", field, this.#count("reasoning"));
    const started = { ...fields, summary: [], content: [] };
    this.#reasoningField = field;
    const item = yield* this.#openItem("reasoning", started);
    const { part, index } = this.#reasoningEvents;
    yield this.format(`${part}.added`, { ...at(item), [index]: 0, part: toReasoningPart(this.#request, "") });
    return item;
  }

  *#openPart(kind: "text" | "refusal"): Generator<string, [OpenItem, partIndex: number]> {
    yield* this.#endReasoning();
    const count = this.#count("message");
    const item =
      this.#items.get("message") ??
      (yield* this.#openItem("message", toMessageItem(this.#completion.head, "in_progress", [], count)));
    const known = item.parts.indexOf(kind);
    if (known >= 0) return [item, known];
    const part = kind === "text" ? toTextPart("") : { type: "refusal", refusal: "" };
    const partIndex = item.parts.push(kind) - 1;
    yield this.format("response.content_part.added", { ...at(item), content_index: partIndex, part });
    return [item, partIndex];
  }

  /**
   * Starts the output item of a tool call once the tool's name has arrived, because the name determines the type of the
   * item. Returns undefined until then.
   */
  *#openCall({ index, id, function: called }: ChatToolCallDelta): Generator<string, OpenItem | undefined> {
    const key = `call ${index}`;
    const open = this.#items.get(key);
    if (open) return open;
    if (id) this.#callIds.set(index, id);
    if (!called?.name) return undefined;
    yield* this.#endReasoning();
    yield* this.#endMessage();
    const call = { id: this.#callIds.get(index) ?? "", function: { name: called.name, arguments: "" } };
    return yield* this.#openItem(key, toCallItem(this.#request, this.#completion.head, index, "in_progress", call));
  }

  /** Returns how many output items of a type were started. */
  #count(type: string): number {
    return this.#started.filter((item) => item.type === type).length;
  }

  *#endItem(key: string, toItem: (open: OpenItem) => OutputItem): Generator<string, void> {
    const open = this.#items.get(key);
    if (!open) return;
    this.#items.delete(key);
    yield* this.#close(open, toItem(open));
  }

  *#endReasoning(): Generator<string, void> {
    const { head } = this.#completion;
    yield* this.#endItem("reasoning", ({ id, text }) => ({
      ...toReasoningItem(this.#request, head, text, this.#reasoningField),
      id,
    }));
  }

  /**
   * Ends the message, unless the end of its text is held back or it contains a refusal. The message then ends after the
   * calls.
   */
  *#endMessage(): Generator<string, void> {
    const open = this.#items.get("message");
    if (!open || open.parts.includes("refusal") || this.#completion.hasHeldText?.()) return;
    const { head } = this.#completion;
    yield* this.#endItem("message", ({ id, text, logprobs }) => ({
      ...toMessageItem(head, "completed", [toTextPart(text, [], logprobs)]),
      id,
    }));
  }

  /** Ends all output items and yields their last events. Returns the complete response. */
  *end(answer: CompletionAnswer): Generator<string, OpenaiResponse> {
    const response = toResponse(this.#request, answer);
    const output: OutputItem[] = [];
    for (const open of this.#started) {
      const item = response.output.find(({ id, type }) =>
        type.endsWith("_call") ? id === open.id : type === open.type,
      );
      if (!open.done && item) yield* this.#close(open, withoutEarlierText(open, item, this.#started));
      if (open.done) output.push(open.done);
    }
    const isStarted = ({ id, type }: OutputItem) =>
      this.#started.some((open) => open.id === id || (open.type === type && !type.endsWith("_call")));
    return { ...response, output: [...output, ...response.output.filter((item) => !isStarted(item))] };
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
    open.done = item;
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
