import { getSharedConversation } from "#shared/api/sharing.ts";
import { linkGone, verifyShareToken } from "#shared/auth/share-link.ts";
import { findConversation } from "#shared/data/conversation-store.ts";
import { messagesUntil } from "#shared/data/message-store.ts";
import { countView } from "#shared/data/share-link-store.ts";
import { publicMessages } from "#shared/domain/public-view.ts";
import { sharedPage } from "#shared/domain/shared-page.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { preferredType } from "#shared/http/preferred-type.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(getSharedConversation, async ({ params, query, headers }) => {
  const link = await verifyShareToken(params.token);
  const scope = { tenantId: link.tenant_id };
  const [conversation, page] = await Promise.all([
    findConversation(scope, link.conversation_id),
    messagesUntil(scope, link.conversation_id, link.created_at, query.cursor),
    query.cursor === undefined && countView(link),
  ]);
  if (!conversation) throw linkGone();
  const view = {
    title: conversation.title,
    messages: publicMessages(page.entries),
    shared_at: link.created_at,
    expires_at: link.expires_at,
    next_cursor: page.next,
  };
  if (preferredType(headers, ["application/json", "text/html"]) === "application/json") return view;
  return pageReply(sharedPage(view));
});
