import { getPersona } from "#shared/api/personas.ts";
import { personaFor } from "#shared/data/persona-store.ts";
import { personaSeenBy } from "#shared/domain/persona-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getPersona, async ({ principal, params }) => {
  const { persona, viewer } = await personaFor(principal, params.id);
  return personaSeenBy(viewer, persona);
});
