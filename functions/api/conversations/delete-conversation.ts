import { deleteConversation } from "#shared/api/conversations.ts";
import * as conversations from "#shared/data/conversation-store.ts";
import { accessOf } from "#shared/domain/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteConversation, async ({ principal, params }) => {
  accessOf(await conversations.getConversation(principal, params.id), principal.userId);
  await conversations.deleteConversation(principal, params.id);
});
