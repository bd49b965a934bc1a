import { getEmbedSession } from "#shared/api/embed.ts";
import { openEmbedSession } from "#shared/auth/embed-visitor.ts";
import { readEmbedSession } from "#shared/chat/embed-session.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getEmbedSession, async ({ principal, embedKey, params }) =>
  readEmbedSession(principal, embedKey, await openEmbedSession(principal, params.id)),
);
