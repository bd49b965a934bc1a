import { expect, it } from "vitest";
import { ServiceError } from "#shared/lib/errors.ts";
import { ProviderRefusal } from "#shared/models/provider-refusal.ts";
import { promptTooLong } from "#shared/openai/messages/prompt-too-long.ts";

const refusal = (message: string) => {
  const fields = { type: "invalid_request_error", param: null, code: "context_length_exceeded" };
  const error = new ProviderRefusal("context_length_exceeded", 400, message, fields, {});
  error.overflow = { tokens: 9_001, maximum: 8_192 };
  return error;
};

it.each([
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens.",
    "130512 tokens > 128000",
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9500 tokens (5500 in the messages, 4000 in the completion).",
    "9500 tokens > 8192",
  ],
  ["prompt is too long: 205127 tokens > 200000 maximum", "205127 tokens > 200000"],
  [
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 204698, decrease input length",
    "210000 tokens > 204698",
  ],
  [
    "The input token count (1,048,577) exceeds the maximum number of tokens allowed (1,048,576).",
    "1048577 tokens > 1048576",
  ],
  ["Prompt contains 40000 tokens, too large for model with 32768 maximum context length", "40000 tokens > 32768"],
  ["the request exceeds the available context size (4096 tokens), try increasing it", "9001 tokens > 8192"],
  ["input length exceeds the context length", "9001 tokens > 8192"],
])(
  "error for a prompt that is too long names its tokens and their maximum to Anthropic's clients: %s",
  (message, expected) => {
    expect(promptTooLong(refusal(message))).toBe(`prompt is too long: ${expected} maximum`);
  },
);

it("error for a prompt that is too long has its own message when no numbers are known", () => {
  expect(promptTooLong(new ServiceError("context_length_exceeded", "Shorten it."))).toBe(
    "prompt is too long: Shorten it.",
  );
});
