/**
 * Maps the finish reasons of providers to OpenAI's. A reason that is not listed becomes `tool_calls` for an answer with
 * calls, and `stop` otherwise.
 */
export const finishReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  function_call: "function_call",
  max_tokens: "length",
  model_length: "length",
  // The provider ended the answer early, for example because its server was stopped.
  abort: "length",
  error: "length",
  safety: "content_filter",
};
