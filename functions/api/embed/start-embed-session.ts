import { startEmbedSessionRoute } from "#shared/api/embed/embed.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { getPublicPersona, getSessionLimits, loadEmbedSession } from "#shared/embed/embed-session.ts";
import { newEmbedSession } from "#shared/embed/embed-session-store.ts";
import {
  assignVisitorId,
  authorizeEmbedSession,
  hashVisitorAddress,
  verifyVisitor,
} from "#shared/embed/embed-visitor.ts";
import { toFirstPage } from "#shared/embed/visitor-sessions.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";

export const handler = secretEndpoint(
  startEmbedSessionRoute,
  async ({ principal, embedKey, address, headers, body: { session_id, visitor, page }, commit }) => {
    const identity = await verifyVisitor(principal, visitor, embedKey.require_signed_visitor);
    // The key is public, and programs send no origin.
    if (headers.origin === undefined && !identity.verified) throw new ServiceError("origin_not_allowed");
    if (session_id !== undefined) {
      const { conversation_id, identified_as } = await authorizeEmbedSession(principal, session_id);
      // A stored session id can belong to another visitor who used the same browser before.
      if (identified_as !== identity.id) throw notFound();
      return commit(new Reply(200, { conversation_id }));
    }
    const { session, writes } = newEmbedSession(
      principal,
      {
        key_id: principal.keyId,
        visitor_id: assignVisitorId(principal, identity),
        identified_as: identity.id,
        counted_for: identity.verified && identity.id ? identity.id : await hashVisitorAddress(address),
        ...toFirstPage(headers.origin, page),
      },
      await getPublicPersona(principal, embedKey.persona_id),
      getSessionLimits(embedKey),
    );
    return commit(new Reply(201, { conversation_id: session.conversation_id }), ...writes);
  },
  ({ conversation_id }, _, { principal, embedKey }) => loadEmbedSession(principal, embedKey, conversation_id),
  embedRateLimit,
);
