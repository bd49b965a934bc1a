import { listRevisions } from "#shared/api/messages.ts";
import { getConversation } from "#shared/data/conversation-store.ts";
import * as messages from "#shared/data/message-store.ts";
import { accessOf } from "#shared/domain/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listRevisions, async ({ principal, params, query }) => {
  accessOf(await getConversation(principal, params.id), principal.userId);
  const message = await messages.getMessage(principal, params.id, params.mid);
  const { entries, next } = await messages.listRevisions(principal, message, query);
  return { revisions: [...entries], limit: query.limit, next_cursor: next };
});
