import {
  deleteMessageRoute,
  listMessagesRoute,
  listRepliesRoute,
  listRevisionsRoute,
  updateMessageRoute,
} from "#shared/api/conversations/messages.ts";
import { deleteAttachmentsOf } from "#shared/conversations/attachments/attachment-store.ts";
import { authorizeConversation, openConversation } from "#shared/conversations/authorize-conversation.ts";
import { authorizeMessageChange } from "#shared/conversations/authorize-message-change.ts";
import { findHiddenFromReader } from "#shared/conversations/list-branch.ts";
import { parseBlocks } from "#shared/conversations/markdown-blocks.ts";
import { editMessage, listRevisions } from "#shared/conversations/message-revisions.ts";
import { deleteMessage, getMessage, listMessages, listReplies } from "#shared/conversations/message-store.ts";
import { withVisibleChecks, withVisibleChecksOfAll } from "#shared/conversations/visible-checks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { hideSources } from "#shared/knowledge/readers/hide-sources.ts";
import { notFound } from "#shared/lib/errors.ts";
import { withStreamingMessages } from "#shared/runs/streaming-messages.ts";

export const deleteMessageHandler = endpoint(deleteMessageRoute, async ({ principal, params }) => {
  const { access } = await authorizeConversation(principal, params.id, "WRITE");
  const message = await getMessage(principal, params.id, params.mid);
  authorizeMessageChange(message, principal.userId, access);
  // The files first: without the message, a repeated request would not find them.
  await deleteAttachmentsOf(principal, message);
  await deleteMessage(principal, message);
});

export const listMessagesHandler = endpoint(listMessagesRoute, async ({ principal, params, query, rights }) => {
  const conversation = await openConversation(principal, params.id);
  const [page, hidden] = await Promise.all([
    listMessages(principal, params.id, query),
    findHiddenFromReader(principal, conversation),
  ]);
  const visible = page.entries.filter(({ message_id }) => !hidden.has(message_id));
  const entries = await withStreamingMessages(principal, await hideSources(principal, visible), query.order);
  return pageReply(
    "messages",
    { entries: await withVisibleChecksOfAll(entries, rights), next: page.next },
    query.limit,
  );
});

export const listRepliesHandler = endpoint(listRepliesRoute, async ({ principal, params, query, rights }) => {
  const conversation = await openConversation(principal, params.id);
  if ((await findHiddenFromReader(principal, conversation)).has(params.mid)) throw notFound();
  await getMessage(principal, params.id, params.mid);
  const { entries, next } = await listReplies(principal, params.mid, query);
  const visible = await hideSources(principal, entries);
  return pageReply("messages", { entries: await withVisibleChecksOfAll(visible, rights), next }, query.limit);
});

export const listRevisionsHandler = endpoint(listRevisionsRoute, async ({ principal, params, query }) => {
  const conversation = await openConversation(principal, params.id);
  if ((await findHiddenFromReader(principal, conversation)).has(params.mid)) throw notFound();
  const message = await getMessage(principal, params.id, params.mid);
  const { entries, next } = await listRevisions(principal, message, query);
  return pageReply("revisions", { entries: await hideSources(principal, entries), next }, query.limit);
});

export const updateMessageHandler = endpoint(
  updateMessageRoute,
  async ({ principal, params, body: { content }, rights }) => {
    const { access } = await authorizeConversation(principal, params.id, "WRITE");
    const message = await getMessage(principal, params.id, params.mid);
    authorizeMessageChange(message, principal.userId, access);
    const blocks = typeof content === "string" ? textBlocks(message.role, content) : content;
    const edited = await editMessage(principal, message, blocks, principal.userId);
    const [visible = edited] = await hideSources(principal, [edited]);
    return withVisibleChecks(visible, rights);
  },
);

/** Converts edited text to blocks. Replies are parsed as Markdown; user messages are stored verbatim. */
function textBlocks(role: string, content: string) {
  return role === "assistant" ? parseBlocks(content) : [{ type: "text" as const, text: content }];
}
