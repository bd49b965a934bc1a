import { pathOf } from "#shared/api/define-route.ts";
import { getDocumentRoute, promoteMessageRoute } from "#shared/api/knowledge/documents.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findHiddenFromReader } from "#shared/conversations/list-branch.ts";
import { blocksToMarkdown } from "#shared/conversations/markdown-blocks.ts";
import { findMessage } from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { newDocumentWrites, newTextDocument } from "#shared/knowledge/document-store.ts";
import { toPromotedDocument } from "#shared/knowledge/promoted-document.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(promoteMessageRoute, async ({ principal, params, body, commit }) => {
  const { conversation_id, message_id } = body;
  const [conversation] = await Promise.all([
    authorizeConversation(principal, conversation_id, "READ"),
    getCollection(principal, params.id),
  ]);
  if ((await findHiddenFromReader(principal, conversation)).has(message_id)) throw notFound();
  const message = await findMessage(principal, conversation_id, message_id);
  const { title, text } = toPromotedDocument(message?.status, message && blocksToMarkdown(message.content), body.title);
  const document = newTextDocument(params.id, principal.userId, text, {
    title,
    media_type: "text/markdown",
    uri: null,
    metadata: {},
    source: { conversation_id, message_id },
  });
  const location = pathOf(getDocumentRoute, { id: params.id, document_id: document.id });
  return commit(
    new Reply(201, document, { location }),
    ...(await newDocumentWrites(principal, [{ document, source: { format: "text/markdown", text } }])),
  );
});
