import { deleteOpenaiConversationRoute } from "#shared/api/openai/conversations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { deleteOpenaiConversation } from "#shared/openai/responses/conversation-store.ts";

export const handler = endpoint(
  deleteOpenaiConversationRoute,
  async ({ principal, params: { id } }) => {
    await deleteOpenaiConversation(principal, id);
    return { id, object: "conversation.deleted" as const, deleted: true as const };
  },
  openaiFormat,
);
