import { listPersonasRoute } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { projectPersonaFor } from "#shared/personas/persona-rules.ts";
import { getPersonaViewer, listPersonas } from "#shared/personas/persona-store.ts";

export const handler = endpoint(listPersonasRoute, async ({ principal, query }) => {
  const viewer = await getPersonaViewer(principal);
  const { entries, next } = await listPersonas(principal, viewer, query);
  return pageReply(
    "personas",
    { entries: entries.map((persona) => projectPersonaFor(viewer, persona)), next },
    query.limit,
  );
});
