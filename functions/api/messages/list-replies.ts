import { listReplies } from "#shared/api/conversations/messages.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import * as messages from "#shared/conversations/message-store.ts";
import { withVisibleChecksOfAll } from "#shared/conversations/visible-checks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listReplies, async ({ principal, params, query, rights }) => {
  await authorizeConversation(principal, params.id, "READ");
  await messages.getMessage(principal, params.id, params.mid);
  const { entries, next } = await messages.listReplies(principal, params.mid, query);
  return pageReply("messages", { entries: await withVisibleChecksOfAll(entries, rights), next }, query.limit);
});
