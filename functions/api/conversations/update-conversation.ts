import { updateConversation } from "#shared/api/conversations.ts";
import * as conversations from "#shared/data/conversation-store.ts";
import { accessOf, asSeenBy } from "#shared/domain/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateConversation, async ({ principal, params, body }) => {
  accessOf(await conversations.getConversation(principal, params.id), principal.userId);
  return asSeenBy(principal.userId, await conversations.updateConversation(principal, params.id, body));
});
