import { updateOpenaiConversationRoute } from "#shared/api/openai/conversations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { replaceMetadata } from "#shared/openai/responses/conversation-store.ts";

export const handler = endpoint(
  updateOpenaiConversationRoute,
  ({ principal, params, body }) => replaceMetadata(principal, params.id, body.metadata ?? {}),
  openaiFormat,
);
