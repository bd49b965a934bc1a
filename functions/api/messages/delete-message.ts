import { deleteMessageRoute } from "#shared/api/conversations/messages.ts";
import { deleteAttachmentsOf } from "#shared/conversations/attachments/attachment-store.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { authorizeMessageChange } from "#shared/conversations/authorize-message-change.ts";
import { deleteMessage, getMessage } from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteMessageRoute, async ({ principal, params }) => {
  const { access } = await authorizeConversation(principal, params.id, "WRITE");
  const message = await getMessage(principal, params.id, params.mid);
  authorizeMessageChange(message, principal.userId, access);
  // The files first: without the message, a repeated request would not find them.
  await deleteAttachmentsOf(principal, message);
  await deleteMessage(principal, message);
});
