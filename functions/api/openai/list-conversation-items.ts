import { listConversationItemsRoute } from "#shared/api/openai/conversations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { listItems } from "#shared/openai/responses/conversation-store.ts";
import { toItemPage } from "#shared/openai/responses/items.ts";

export const handler = endpoint(
  listConversationItemsRoute,
  async ({ principal, params, query }) => toItemPage(await listItems(principal, params.id), query),
  openaiFormat,
);
