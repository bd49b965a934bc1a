import { getEmbedSessionRoute } from "#shared/api/embed/embed.ts";
import { embedCredential } from "#shared/embed/embed-credential.ts";
import { buildEmbedSession } from "#shared/embed/embed-session.ts";
import { authorizeEmbedSession } from "#shared/embed/embed-visitor.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(
  getEmbedSessionRoute,
  async ({ principal, embedKey, params }) =>
    buildEmbedSession(principal, embedKey, await authorizeEmbedSession(principal, params.id)),
  embedCredential,
);
