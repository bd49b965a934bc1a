import {
  createConversationItemsRoute,
  createOpenaiConversationRoute,
  deleteConversationItemRoute,
  deleteOpenaiConversationRoute,
  getConversationItemRoute,
  getOpenaiConversationRoute,
  listConversationItemsRoute,
  updateOpenaiConversationRoute,
} from "#shared/api/openai/conversations.ts";
import type { InputItem } from "#shared/api/openai/response-items.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { resolveInput } from "#shared/openai/responses/compaction.ts";
import {
  addItems,
  createOpenaiConversation,
  deleteItem,
  deleteOpenaiConversation,
  getItem,
  getOpenaiConversation,
  listItems,
  listItemsToContinue,
  replaceMetadata,
} from "#shared/openai/responses/conversation-store.ts";
import { toItemList, toItemPage, toListedItem } from "#shared/openai/responses/items.ts";

export const createConversationItemsHandler = endpoint(
  createConversationItemsRoute,
  async ({ principal, params: { id }, body }) => {
    const [input] = await Promise.all([resolveInput(principal, body.items), listItemsToContinue(principal, id)]);
    const items = (input as InputItem[]).map((item) => toListedItem(item));
    await addItems(principal, id, items);
    return toItemList(items);
  },
  openaiFormat,
);

export const createOpenaiConversationHandler = endpoint(
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

export const deleteConversationItemHandler = endpoint(
  deleteConversationItemRoute,
  async ({ principal, params: { id, item_id } }) => {
    const conversation = await getOpenaiConversation(principal, id);
    await deleteItem(principal, id, item_id);
    return conversation;
  },
  openaiFormat,
);

export const deleteOpenaiConversationHandler = endpoint(
  deleteOpenaiConversationRoute,
  async ({ principal, params: { id } }) => {
    await deleteOpenaiConversation(principal, id);
    return { id, object: "conversation.deleted" as const, deleted: true as const };
  },
  openaiFormat,
);

export const getConversationItemHandler = endpoint(
  getConversationItemRoute,
  ({ principal, params: { id, item_id } }) => getItem(principal, id, item_id),
  openaiFormat,
);

export const getOpenaiConversationHandler = endpoint(
  getOpenaiConversationRoute,
  ({ principal, params }) => getOpenaiConversation(principal, params.id),
  openaiFormat,
);

export const listConversationItemsHandler = endpoint(
  listConversationItemsRoute,
  async ({ principal, params, query }) => toItemPage(await listItems(principal, params.id), query),
  openaiFormat,
);

export const updateOpenaiConversationHandler = endpoint(
  updateOpenaiConversationRoute,
  ({ principal, params, body }) => replaceMetadata(principal, params.id, body.metadata ?? {}),
  openaiFormat,
);
