import * as v from "valibot";
import { Integer } from "../fields.ts";

/* Answers that are not streamed, as the API references of OpenAI and Anthropic define them. Providers add fields, which are passed on. */

export const TokenUsage = v.looseObject({ prompt_tokens: Integer, completion_tokens: Integer, total_tokens: Integer });

const answerFields = { id: v.string(), created: Integer, model: v.string(), usage: TokenUsage };

const ToolCall = v.looseObject({
  id: v.string(),
  type: v.string(),
  function: v.optional(v.looseObject({ name: v.string(), arguments: v.string() })),
});

export const ChatCompletionAnswer = v.looseObject({
  ...answerFields,
  object: v.literal("chat.completion"),
  choices: v.array(
    v.looseObject({
      index: Integer,
      message: v.looseObject({
        role: v.literal("assistant"),
        content: v.nullable(v.string()),
        refusal: v.optional(v.nullable(v.string())),
        tool_calls: v.optional(v.array(ToolCall)),
      }),
      finish_reason: v.nullable(v.string()),
    }),
  ),
});

export const TextCompletion = v.looseObject({
  ...answerFields,
  object: v.literal("text_completion"),
  choices: v.array(v.looseObject({ index: Integer, text: v.string(), finish_reason: v.nullable(v.string()) })),
});

export const EmbeddingList = v.object({
  object: v.literal("list"),
  model: v.string(),
  data: v.array(
    v.object({
      object: v.literal("embedding"),
      index: Integer,
      embedding: v.pipe(
        v.union([v.array(v.number()), v.string()]),
        v.description("Numbers, or their bytes in Base64 with the `encoding_format` `base64`."),
      ),
    }),
  ),
  usage: v.object({ prompt_tokens: Integer, total_tokens: Integer }),
});

/** Item of a response or conversation, whose other fields depend on its type. */
export const ListedItem = v.looseObject({ id: v.string(), type: v.string() });

export const OpenaiResponse = v.looseObject({
  id: v.string(),
  object: v.literal("response"),
  created_at: Integer,
  status: v.picklist(["in_progress", "completed", "incomplete", "cancelled", "failed"]),
  model: v.string(),
  error: v.nullable(v.looseObject({ code: v.string(), message: v.string() })),
  incomplete_details: v.nullable(v.looseObject({ reason: v.string() })),
  output: v.array(ListedItem),
  usage: v.nullable(v.looseObject({ input_tokens: Integer, output_tokens: Integer, total_tokens: Integer })),
});

export type OpenaiResponse = v.InferOutput<typeof OpenaiResponse>;

/** Message in Anthropic's schema. */
export const AnthropicMessage = v.looseObject({
  id: v.string(),
  type: v.literal("message"),
  role: v.literal("assistant"),
  model: v.string(),
  content: v.array(v.looseObject({ type: v.string() })),
  stop_reason: v.nullable(v.string()),
  stop_sequence: v.nullable(v.string()),
  usage: v.looseObject({ input_tokens: Integer, output_tokens: Integer }),
});
