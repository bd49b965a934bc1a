import { createOpenaiConversationRoute } from "#shared/api/openai/conversations.ts";
import type { InputItem } from "#shared/api/openai/response-items.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { resolveInput } from "#shared/openai/responses/compaction.ts";
import { addItems, createOpenaiConversation } from "#shared/openai/responses/conversation-store.ts";
import { toListedItem } from "#shared/openai/responses/items.ts";

export const handler = endpoint(
  createOpenaiConversationRoute,
  async ({ principal, body: { items, metadata } }) => {
    const input = (await resolveInput(principal, items ?? [])) as InputItem[];
    const conversation = await createOpenaiConversation(principal, metadata ?? {});
    if (input.length > 0) {
      await addItems(
        principal,
        conversation.id,
        input.map((item) => toListedItem(item)),
      );
    }
    return conversation;
  },
  openaiFormat,
);
