import { createAttachmentRoute } from "#shared/api/conversations/attachments.ts";
import { createAttachmentUpload } from "#shared/conversations/attachments/attachment-files.ts";
import { newAttachment, newAttachmentWrites } from "#shared/conversations/attachments/attachment-store.ts";
import { getFileType } from "#shared/conversations/attachments/attachment-types.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createAttachmentRoute, async ({ principal, params, body, commit }) => {
  await authorizeConversation(principal, params.id, "WRITE");
  const file = { ...body, ...getFileType(body.file_name) };
  const attachment = newAttachment(principal.userId, params.id, file);
  const upload = createAttachmentUpload(principal, attachment);
  return commit({ attachment, upload }, ...(await newAttachmentWrites(principal, attachment)));
});
