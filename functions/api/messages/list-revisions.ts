import { listRevisions } from "#shared/api/conversations/messages.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import * as messages from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listRevisions, async ({ principal, params, query }) => {
  await authorizeConversation(principal, params.id, "READ");
  const message = await messages.getMessage(principal, params.id, params.mid);
  const { entries, next } = await messages.listRevisions(principal, message, query);
  return { revisions: [...entries], limit: query.limit, next_cursor: next };
});
