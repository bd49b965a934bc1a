import * as v from "valibot";
import { validatePublishedEvent } from "./published-schemas.ts";

/* Strict schemas of responses in OpenAI's API reference: no field may be missing and no unknown field is allowed. */

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const FinishReason = v.picklist(["stop", "length", "tool_calls", "content_filter", "function_call"]);
const Details = v.optional(v.nullable(v.record(v.string(), v.unknown())));
const Usage = v.pipe(
  v.strictObject({
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    prompt_tokens_details: Details,
    completion_tokens_details: Details,
    // Not a field of OpenAI: marks usage that the provider did not report.
    estimated: v.optional(v.literal(true)),
  }),
  v.check((usage) => usage.total_tokens === usage.prompt_tokens + usage.completion_tokens, "tokens do not add up"),
);
const Json = v.pipe(
  v.string(),
  v.check((text) => {
    try {
      return typeof JSON.parse(text) === "object";
    } catch {
      return false;
    }
  }, "must be JSON"),
);

const ToolCall = v.strictObject({
  id: v.pipe(v.string(), v.minLength(1)),
  type: v.literal("function"),
  function: v.strictObject({ name: v.pipe(v.string(), v.minLength(1)), arguments: Json }),
});

const TokenLogprobs = v.optional(v.nullable(v.array(v.looseObject({ token: v.string(), logprob: v.number() }))));
const Logprobs = v.strictObject({ content: TokenLogprobs, refusal: TokenLogprobs });

/** Non-streamed chat completion. */
export const ChatCompletion = v.strictObject({
  id: v.pipe(v.string(), v.startsWith("chatcmpl-")),
  object: v.literal("chat.completion"),
  created: Count,
  model: v.string(),
  choices: v.pipe(
    v.array(
      v.strictObject({
        index: Count,
        message: v.strictObject({
          role: v.literal("assistant"),
          content: v.nullable(v.string()),
          refusal: v.nullable(v.string()),
          reasoning_content: v.optional(v.nullable(v.string())),
          annotations: v.optional(v.array(v.unknown())),
          tool_calls: v.optional(v.pipe(v.array(ToolCall), v.minLength(1))),
        }),
        logprobs: v.nullable(Logprobs),
        finish_reason: FinishReason,
      }),
    ),
    v.minLength(1),
  ),
  usage: Usage,
  system_fingerprint: v.optional(v.nullable(v.string())),
  service_tier: v.optional(v.nullable(v.string())),
});

const ChunkChoice = v.strictObject({
  index: Count,
  delta: v.strictObject({
    role: v.optional(v.literal("assistant")),
    content: v.optional(v.nullable(v.string())),
    refusal: v.optional(v.nullable(v.string())),
    reasoning_content: v.optional(v.nullable(v.string())),
    annotations: v.optional(v.array(v.unknown())),
    tool_calls: v.optional(
      v.array(
        v.strictObject({
          index: Count,
          id: v.optional(v.string()),
          type: v.optional(v.literal("function")),
          function: v.strictObject({ name: v.optional(v.string()), arguments: v.optional(v.string()) }),
        }),
      ),
    ),
  }),
  logprobs: v.nullable(Logprobs),
  finish_reason: v.nullable(FinishReason),
});

/** Chunk of a streamed chat completion. */
export const ChatCompletionChunk = v.strictObject({
  id: v.pipe(v.string(), v.startsWith("chatcmpl-")),
  object: v.literal("chat.completion.chunk"),
  created: Count,
  model: v.string(),
  choices: v.pipe(v.array(ChunkChoice), v.maxLength(1)),
  usage: v.optional(v.nullable(Usage)),
  system_fingerprint: v.optional(v.nullable(v.string())),
  service_tier: v.optional(v.nullable(v.string())),
});

const Model = v.strictObject({
  id: v.string(),
  object: v.literal("model"),
  created: Count,
  owned_by: v.string(),
  capabilities: v.strictObject({ input: v.array(v.string()), context_window: v.nullable(v.number()) }),
});
const ModelList = v.strictObject({ object: v.literal("list"), data: v.array(Model) });

// OpenAI's schema requires `error` and allows other members; errors of API Gateway also have those of a problem.
export const ErrorBody = v.looseObject({
  error: v.strictObject({
    message: v.pipe(v.string(), v.minLength(1)),
    type: v.pipe(v.string(), v.regex(/^[a-z_]+$/)),
    param: v.nullable(v.string()),
    code: v.nullable(v.string()),
  }),
});

function validateStream(text: string): void {
  const events = text.split("\n\n").filter((event) => event !== "" && !event.startsWith(":"));
  const lines = events.map((event) => v.parse(v.pipe(v.string(), v.regex(/^data: [^\n]+$/)), event).slice(6));
  for (const line of lines) validatePublishedEvent("/openai/v1/chat/completions", line);
  const last = lines.pop() ?? "";
  if (last !== "[DONE]") {
    v.parse(ErrorBody, JSON.parse(last));
    for (const line of lines) v.parse(ChatCompletionChunk, JSON.parse(line));
    return;
  }
  const chunks = lines.map((line) => v.parse(ChatCompletionChunk, JSON.parse(line)));
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const identities = new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`));
  v.parse(v.literal(1), identities.size);
  for (const choice of Map.groupBy(choices, ({ index }) => index).values()) {
    v.parse(v.literal("assistant"), choice[0]?.delta.role);
    v.parse(v.undefined(), choice.slice(1).find(({ delta }) => delta.role)?.delta.role);
    v.parse(v.literal(1), choice.filter(({ finish_reason }) => finish_reason !== null).length);
    v.parse(FinishReason, choice.at(-1)?.finish_reason);
  }
}

function validateBody(path: string, text: string): void {
  if (path.endsWith("/chat/completions")) v.parse(ChatCompletion, JSON.parse(text));
  else v.parse(path.endsWith("/models") ? ModelList : Model, JSON.parse(text));
}

/** Passes a stream through and validates it on its last event, because clients stop reading there. */
function streamValidator(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let text = "";
  let isChecked = false;
  const check = () => {
    if (!isChecked) validateStream(text);
    isChecked = true;
    validated.streams++;
  };
  return new TransformStream({
    transform(bytes, controller) {
      text += decoder.decode(bytes, { stream: true });
      if (text.endsWith("data: [DONE]\n\n")) check();
      controller.enqueue(bytes);
    },
    flush: () => (isChecked ? undefined : check()),
  });
}

/** Number of responses validated so far. */
export const validated = { bodies: 0, streams: 0 };

/** `fetch` that validates every response, and every chunk of a stream, against OpenAI's schemas. */
export async function validatingFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const { status, statusText, headers } = response;
  if (headers.get("content-type")?.startsWith("text/event-stream") && response.body) {
    return new Response(response.body.pipeThrough(streamValidator()), { status, statusText, headers });
  }
  const text = await response.text();
  if (response.ok) validateBody(new URL(input instanceof Request ? input.url : input).pathname, text);
  else v.parse(ErrorBody, JSON.parse(text));
  validated.bodies++;
  return new Response(text, { status, statusText, headers });
}
