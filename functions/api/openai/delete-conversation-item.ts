import { deleteConversationItemRoute } from "#shared/api/openai/conversations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { deleteItem, getOpenaiConversation } from "#shared/openai/responses/conversation-store.ts";

export const handler = endpoint(
  deleteConversationItemRoute,
  async ({ principal, params: { id, item_id } }) => {
    const conversation = await getOpenaiConversation(principal, id);
    await deleteItem(principal, id, item_id);
    return conversation;
  },
  openaiFormat,
);
