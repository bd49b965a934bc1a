import { getEmbedSession } from "#shared/api/embed/embed.ts";
import { readEmbedSession } from "#shared/embed/embed-session.ts";
import { openEmbedSession } from "#shared/embed/embed-visitor.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getEmbedSession, async ({ principal, embedKey, params }) =>
  readEmbedSession(principal, embedKey, await openEmbedSession(principal, params.id)),
);
