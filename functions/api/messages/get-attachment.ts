import { getAttachmentRoute } from "#shared/api/conversations/attachments.ts";
import { createAttachmentDownload } from "#shared/conversations/attachments/attachment-files.ts";
import { getAttachment } from "#shared/conversations/attachments/attachment-store.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getAttachmentRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "READ");
  const ref = { conversation_id: params.id, id: params.attachment_id };
  const attachment = await getAttachment(principal, ref);
  const download = attachment.status === "ready" ? createAttachmentDownload(principal, attachment) : null;
  return { ...attachment, download };
});
