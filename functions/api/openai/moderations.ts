import { createModerationRoute } from "#shared/api/openai/moderations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { moderate } from "#shared/openai/moderate.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";

export const createModerationHandler = endpoint(
  createModerationRoute,
  ({ principal, body }) => moderate(principal, body),
  openaiFormat,
);
