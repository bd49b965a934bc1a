import {
  createAttachmentRoute,
  deleteAttachmentRoute,
  getAttachmentRoute,
} from "#shared/api/conversations/attachments.ts";
import { requireAccess } from "#shared/conversations/access.ts";
import {
  createAttachmentDownload,
  createAttachmentUpload,
} from "#shared/conversations/attachments/attachment-files.ts";
import {
  deleteAttachment,
  getAttachment,
  newAttachment,
  newAttachmentWrites,
} from "#shared/conversations/attachments/attachment-store.ts";
import { getFileType } from "#shared/conversations/attachments/attachment-types.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const createAttachmentHandler = endpoint(createAttachmentRoute, async ({ principal, params, body, commit }) => {
  await authorizeConversation(principal, params.id, "WRITE");
  const file = { ...body, ...getFileType(body.file_name) };
  const attachment = newAttachment(principal.userId, params.id, file);
  const upload = createAttachmentUpload(principal, attachment);
  return commit({ attachment, upload }, ...(await newAttachmentWrites(principal, attachment)));
});

export const deleteAttachmentHandler = endpoint(deleteAttachmentRoute, async ({ principal, params }) => {
  const { access } = await authorizeConversation(principal, params.id, "READ");
  const ref = { conversation_id: params.id, id: params.attachment_id };
  const { author_id } = await getAttachment(principal, ref);
  if (author_id !== principal.userId) requireAccess(access, "owner");
  await deleteAttachment(principal, ref);
});

export const getAttachmentHandler = endpoint(getAttachmentRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "READ");
  const ref = { conversation_id: params.id, id: params.attachment_id };
  const attachment = await getAttachment(principal, ref);
  const download = attachment.status === "ready" ? createAttachmentDownload(principal, attachment) : null;
  return { ...attachment, download };
});
