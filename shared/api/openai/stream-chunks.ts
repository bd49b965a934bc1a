import * as v from "valibot";
import { Integer } from "../fields.ts";
import { ListedItem, TokenUsage } from "./answers.ts";

/* Events of streams as OpenAI's API reference defines them. Providers add fields, which are passed on. */

const chunkFields = {
  id: v.string(),
  created: Integer,
  model: v.string(),
  usage: v.optional(v.nullable(TokenUsage)),
};

const ToolCallDelta = v.looseObject({
  index: Integer,
  id: v.optional(v.string()),
  type: v.optional(v.string()),
  function: v.optional(v.looseObject({ name: v.optional(v.string()), arguments: v.optional(v.string()) })),
});

export const ChatCompletionChunk = v.looseObject({
  ...chunkFields,
  object: v.literal("chat.completion.chunk"),
  choices: v.array(
    v.looseObject({
      index: Integer,
      delta: v.looseObject({
        role: v.optional(v.literal("assistant")),
        content: v.optional(v.nullable(v.string())),
        refusal: v.optional(v.nullable(v.string())),
        tool_calls: v.optional(v.array(ToolCallDelta)),
      }),
      finish_reason: v.nullable(v.string()),
    }),
  ),
});

/** Chunk of a streamed text completion. */
export const CompletionChunk = v.looseObject({
  ...chunkFields,
  object: v.literal("text_completion"),
  choices: v.array(v.looseObject({ index: Integer, text: v.string(), finish_reason: v.nullable(v.string()) })),
});

/** Defines an event of the responses API. */
const event = <const Type extends string, const Entries extends v.ObjectEntries>(type: Type, entries: Entries) =>
  v.looseObject({ type: v.literal(type), sequence_number: Integer, ...entries });

const response = { response: v.looseObject({ id: v.string(), object: v.literal("response"), status: v.string() }) };
const item = { output_index: Integer, item: ListedItem };
const inItem = { item_id: v.string(), output_index: Integer };
const inContent = { ...inItem, content_index: Integer };
const inSummary = { ...inItem, summary_index: Integer };
const part = { part: v.looseObject({ type: v.string() }) };
const delta = { delta: v.string() };
const text = { text: v.string() };

/** Events of a streamed response by type, without the error that ends a stream. */
const responseEvents = [
  event("response.created", response),
  event("response.in_progress", response),
  event("response.completed", response),
  event("response.incomplete", response),
  event("response.failed", response),
  event("response.output_item.added", item),
  event("response.output_item.done", item),
  event("response.content_part.added", { ...inContent, ...part }),
  event("response.content_part.done", { ...inContent, ...part }),
  event("response.output_text.delta", { ...inContent, ...delta }),
  event("response.output_text.done", { ...inContent, ...text }),
  event("response.output_text.annotation.added", { ...inContent, annotation_index: Integer }),
  event("response.refusal.delta", { ...inContent, ...delta }),
  event("response.refusal.done", { ...inContent, refusal: v.string() }),
  event("response.reasoning_text.delta", { ...inContent, ...delta }),
  event("response.reasoning_text.done", { ...inContent, ...text }),
  event("response.reasoning_summary_part.added", { ...inSummary, ...part }),
  event("response.reasoning_summary_part.done", { ...inSummary, ...part }),
  event("response.reasoning_summary_text.delta", { ...inSummary, ...delta }),
  event("response.reasoning_summary_text.done", { ...inSummary, ...text }),
  event("response.function_call_arguments.delta", { ...inItem, ...delta }),
  event("response.function_call_arguments.done", { ...inItem, arguments: v.string() }),
  event("response.custom_tool_call_input.delta", { ...inItem, ...delta }),
  event("response.custom_tool_call_input.done", { ...inItem, input: v.string() }),
] as const;

export const ResponseStreamEvent = v.variant("type", [
  ...responseEvents,
  event("error", { code: v.nullable(v.string()), message: v.string(), param: v.nullable(v.string()) }),
]);
