import { createEmbedAttachmentRoute, getEmbedAttachmentRoute } from "#shared/api/embed/embed-attachments.ts";
import { createAttachmentUpload } from "#shared/conversations/attachments/attachment-files.ts";
import {
  getAttachment,
  newAttachment,
  newAttachmentWrites,
} from "#shared/conversations/attachments/attachment-store.ts";
import { getFileType } from "#shared/conversations/attachments/attachment-types.ts";
import { requireAttachments, toEmbedAttachment } from "#shared/embed/embed-attachments.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { authorizeEmbedSession, requireVerifiedVisitor, toVisitorPrincipal } from "#shared/embed/embed-visitor.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const createEmbedAttachmentHandler = endpoint(
  createEmbedAttachmentRoute,
  async ({ principal, embedKey, params, body, commit }) => {
    const session = await authorizeEmbedSession(principal, params.id);
    requireAttachments(embedKey);
    requireVerifiedVisitor(session, embedKey.require_signed_visitor);
    const visitor = toVisitorPrincipal(principal, session);
    const file = { ...body, ...getFileType(body.file_name) };
    const attachment = newAttachment(visitor.userId, session.conversation_id, file);
    const upload = createAttachmentUpload(visitor, attachment);
    return commit(
      { attachment: toEmbedAttachment(attachment), upload },
      ...(await newAttachmentWrites(visitor, attachment)),
    );
  },
  embedRateLimit,
);

export const getEmbedAttachmentHandler = endpoint(
  getEmbedAttachmentRoute,
  async ({ principal, embedKey, params }) => {
    const session = await authorizeEmbedSession(principal, params.id);
    requireAttachments(embedKey);
    const ref = { conversation_id: session.conversation_id, id: params.attachment_id };
    return toEmbedAttachment(await getAttachment(toVisitorPrincipal(principal, session), ref));
  },
  embedRateLimit,
);
