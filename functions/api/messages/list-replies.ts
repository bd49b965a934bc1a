import { listRepliesRoute } from "#shared/api/conversations/messages.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findHiddenFromReader } from "#shared/conversations/list-branch.ts";
import { getMessage, listReplies } from "#shared/conversations/message-store.ts";
import { withVisibleChecksOfAll } from "#shared/conversations/visible-checks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(listRepliesRoute, async ({ principal, params, query, rights }) => {
  const conversation = await authorizeConversation(principal, params.id, "READ");
  if ((await findHiddenFromReader(principal, conversation)).has(params.mid)) throw notFound();
  await getMessage(principal, params.id, params.mid);
  const { entries, next } = await listReplies(principal, params.mid, query);
  return pageReply("messages", { entries: await withVisibleChecksOfAll(entries, rights), next }, query.limit);
});
