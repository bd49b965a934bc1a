import { requestEmbedTranscriptRoute } from "#shared/api/embed/embed.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { authorizeEmbedSession, requireVerifiedVisitor } from "#shared/embed/embed-visitor.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { transcriptWrite } from "#shared/visitors/embed-session-store.ts";

export const requestEmbedTranscriptHandler = endpoint(
  requestEmbedTranscriptRoute,
  async ({ principal, embedKey, params, body: { email }, commit }) => {
    if (!embedKey.transcripts) throw new ServiceError("forbidden", "This website sends no transcripts.");
    const session = await authorizeEmbedSession(principal, params.id);
    requireVerifiedVisitor(session, embedKey.require_signed_visitor);
    return commit(new Reply(202, { email }), transcriptWrite(principal, session, email));
  },
  embedRateLimit,
);
