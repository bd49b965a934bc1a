import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { TextCompletion } from "./answers.ts";
import { ChatCompletionRequest } from "./openai.ts";
import { CompletionChunk } from "./stream-chunks.ts";

const chat = ChatCompletionRequest.entries;

/** Body of `POST /openai/v1/completions`. Unknown fields are refused like those of chat completions. */
export const TextCompletionRequest = v.looseObject({
  model: chat.model,
  prompt: v.union(
    [v.string(), v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(1, "must have one entry"))],
    "must be a string; tokens are not supported",
  ),
  stream: chat.stream,
  stream_options: chat.stream_options,
  max_tokens: chat.max_tokens,
  temperature: chat.temperature,
  top_p: chat.top_p,
  n: chat.n,
  stop: chat.stop,
  seed: chat.seed,
  user: chat.user,
  frequency_penalty: chat.frequency_penalty,
  presence_penalty: chat.presence_penalty,
  logit_bias: chat.logit_bias,
  best_of: v.nullish(v.literal(1, "must be 1")),
  echo: v.nullish(v.literal(false, "must be false")),
  logprobs: v.nullish(v.literal(0, "is not supported")),
  suffix: v.nullish(v.literal("", "is not supported")),
});
export type TextCompletionRequest = v.InferOutput<typeof TextCompletionRequest>;

const route = routeGroup({ group: "openai", auth: "api-key" });

export const createCompletionRoute = route("POST /openai/v1/completions", {
  id: "createCompletion",
  scope: "chat.completions",
  streaming: true,
  body: TextCompletionRequest,
  replyHeaders: ["AI-Disclosure", "X-Completion-Id"],
  chunk: { schemaName: "CompletionChunk", schema: CompletionChunk },
  replies: { 200: TextCompletion },
  errors: ["not_found", "context_length_exceeded", "quota_exceeded", "model_error", "model_overloaded", "unavailable"],
  summary: "Create a text completion",
  description:
    "Compatible with the legacy completions API of OpenAI. The model receives the prompt as the message of a user.",
});
