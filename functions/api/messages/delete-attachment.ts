import { deleteAttachmentRoute } from "#shared/api/conversations/attachments.ts";
import { requireAccess } from "#shared/conversations/access.ts";
import { deleteAttachment, getAttachment } from "#shared/conversations/attachments/attachment-store.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteAttachmentRoute, async ({ principal, params }) => {
  const { access } = await authorizeConversation(principal, params.id, "READ");
  const ref = { conversation_id: params.id, id: params.attachment_id };
  const { author_id } = await getAttachment(principal, ref);
  if (author_id !== principal.userId) requireAccess(access, "owner");
  await deleteAttachment(principal, ref);
});
