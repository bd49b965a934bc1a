/**
 * Paths of OpenAI's API that this service does not offer, each with a hint about a replacement. The first match
 * applies.
 */
const hints: readonly (readonly [RegExp, string])[] = [
  [/^\/openai\/(?!v1(?:\/|$))/, "The base URL of this API ends with `/openai/v1`."],
  [/^\/openai\/v1\/responses\//, "Use `POST /openai/v1/responses`."],
  [
    /^\/openai\/v1\/chat\/completions/,
    "Chat completions are not stored. Use `POST /openai/v1/responses`, which stores its answers.",
  ],
  [
    /^\/openai\/v1\/(?:assistants|threads)\b/,
    "Use `POST /openai/v1/responses` with `conversation` or `previous_response_id`, and a persona in place of an assistant.",
  ],
  [
    /^\/openai\/v1\/(?:files|uploads)\b/,
    "Send files in the request, as `file_data` of `POST /openai/v1/responses` or `/openai/v1/chat/completions`, or as base64 of `POST /openai/v1/messages`.",
  ],
  [
    /^\/openai\/v1\/vector_stores\b/,
    "Use collections (`/v1/knowledge/collections`), and publish a persona that searches them.",
  ],
  [
    /^\/openai\/v1\/(?:audio|realtime)\b/,
    "Send recordings as `input_audio` parts of `POST /openai/v1/chat/completions`, if the model takes audio.",
  ],
  [/^\/openai\/v1\/batches\b/, "Send the requests one by one, each with an `Idempotency-Key`."],
  [/^\/openai\/v1\/messages\/batches\b/, "Send the messages one by one to `POST /openai/v1/messages`."],
  [/^\/openai\/v1\/engines\b/, "Use `GET /openai/v1/models`."],
  [/^\/openai\/v1\/edits\b/, "Use `POST /openai/v1/chat/completions`."],
  [
    /^\/openai\/v1\/(?:images|videos|fine_tuning|fine-tunes|evals|containers|organization|skills|chatkit)\b/,
    "This service has nothing in its place; call the provider directly.",
  ],
];

/** Returns the hint about a replacement for an unsupported path of OpenAI's API; undefined if there is none. */
export const findReplacement = (path: string): string | undefined => hints.find(([pattern]) => pattern.test(path))?.[1];
