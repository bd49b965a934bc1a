import { listPersonas } from "#shared/api/personas.ts";
import * as personas from "#shared/data/persona-store.ts";
import { personaSeenBy } from "#shared/domain/persona-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listPersonas, async ({ principal, query }) => {
  const viewer = await personas.personaViewer(principal);
  const { entries, next } = await personas.listPersonas(principal, viewer, query);
  return {
    personas: entries.map((persona) => personaSeenBy(viewer, persona)),
    limit: query.limit,
    next_cursor: next,
  };
});
