import { getEmbedAttachmentRoute } from "#shared/api/embed/embed-attachments.ts";
import { getAttachment } from "#shared/conversations/attachments/attachment-store.ts";
import { requireAttachments, toEmbedAttachment } from "#shared/embed/embed-attachments.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { authorizeEmbedSession, toVisitorPrincipal } from "#shared/embed/embed-visitor.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(
  getEmbedAttachmentRoute,
  async ({ principal, embedKey, params }) => {
    const session = await authorizeEmbedSession(principal, params.id);
    requireAttachments(embedKey);
    const ref = { conversation_id: session.conversation_id, id: params.attachment_id };
    return toEmbedAttachment(await getAttachment(toVisitorPrincipal(principal, session), ref));
  },
  embedRateLimit,
);
