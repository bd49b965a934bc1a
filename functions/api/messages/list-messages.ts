import { listMessagesRoute } from "#shared/api/conversations/messages.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findHiddenFromReader } from "#shared/conversations/list-branch.ts";
import { listMessages } from "#shared/conversations/message-store.ts";
import { withVisibleChecksOfAll } from "#shared/conversations/visible-checks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { withStreamingMessages } from "#shared/runs/streaming-messages.ts";

export const handler = endpoint(listMessagesRoute, async ({ principal, params, query, rights }) => {
  const conversation = await authorizeConversation(principal, params.id, "READ");
  const [page, hidden] = await Promise.all([
    listMessages(principal, params.id, query),
    findHiddenFromReader(principal, conversation),
  ]);
  const visible = page.entries.filter(({ message_id }) => !hidden.has(message_id));
  const entries = await withStreamingMessages(principal, visible, query.order);
  return pageReply(
    "messages",
    { entries: await withVisibleChecksOfAll(entries, rights), next: page.next },
    query.limit,
  );
});
