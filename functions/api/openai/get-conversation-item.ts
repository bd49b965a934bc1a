import { getConversationItemRoute } from "#shared/api/openai/conversations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { getItem } from "#shared/openai/responses/conversation-store.ts";

export const handler = endpoint(
  getConversationItemRoute,
  ({ principal, params: { id, item_id } }) => getItem(principal, id, item_id),
  openaiFormat,
);
