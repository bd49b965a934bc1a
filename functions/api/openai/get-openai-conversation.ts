import { getOpenaiConversationRoute } from "#shared/api/openai/conversations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { getOpenaiConversation } from "#shared/openai/responses/conversation-store.ts";

export const handler = endpoint(
  getOpenaiConversationRoute,
  ({ principal, params }) => getOpenaiConversation(principal, params.id),
  openaiFormat,
);
