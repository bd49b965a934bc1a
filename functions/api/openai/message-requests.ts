import { countMessageTokensRoute } from "#shared/api/openai/message-requests.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { anthropicFormat } from "#shared/openai/messages/anthropic-error.ts";
import { countTokens } from "#shared/openai/messages/count-tokens.ts";

export const countMessageTokensHandler = endpoint(
  countMessageTokensRoute,
  async ({ principal, body }) => ({ input_tokens: await countTokens(principal, body) }),
  anthropicFormat,
);
