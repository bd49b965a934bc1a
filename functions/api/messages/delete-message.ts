import { deleteMessage } from "#shared/api/conversations/messages.ts";
import { deleteAttachmentsOf } from "#shared/conversations/attachments/attachment-store.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { authorizeMessageChange } from "#shared/conversations/authorize-message-change.ts";
import * as messages from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteMessage, async ({ principal, params }) => {
  const { access } = await authorizeConversation(principal, params.id, "WRITE");
  const message = await messages.getMessage(principal, params.id, params.mid);
  authorizeMessageChange(message, principal.userId, access);
  // The files first: without the message, a repeated request would not find them.
  await deleteAttachmentsOf(principal, message);
  await messages.deleteMessage(principal, message);
});
