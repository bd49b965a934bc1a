import { getEmbedSessionRoute } from "#shared/api/embed/embed.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { buildEmbedSession } from "#shared/embed/embed-session.ts";
import { authorizeEmbedSession } from "#shared/embed/embed-visitor.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(
  getEmbedSessionRoute,
  async ({ principal, embedKey, params }) =>
    buildEmbedSession(principal, embedKey, await authorizeEmbedSession(principal, params.id)),
  embedRateLimit,
);
