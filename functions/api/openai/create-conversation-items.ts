import { createConversationItemsRoute } from "#shared/api/openai/conversations.ts";
import type { InputItem } from "#shared/api/openai/response-items.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { resolveInput } from "#shared/openai/responses/compaction.ts";
import { addItems, listItemsToContinue } from "#shared/openai/responses/conversation-store.ts";
import { toItemList, toListedItem } from "#shared/openai/responses/items.ts";

export const handler = endpoint(
  createConversationItemsRoute,
  async ({ principal, params: { id }, body }) => {
    const [input] = await Promise.all([resolveInput(principal, body.items), listItemsToContinue(principal, id)]);
    const items = (input as InputItem[]).map((item) => toListedItem(item));
    await addItems(principal, id, items);
    return toItemList(items);
  },
  openaiFormat,
);
