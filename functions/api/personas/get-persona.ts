import { getPersona } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { personaSeenBy } from "#shared/personas/persona-rules.ts";
import { personaFor } from "#shared/personas/persona-store.ts";

export const handler = endpoint(getPersona, async ({ principal, params }) => {
  const { persona, viewer } = await personaFor(principal, params.id);
  return personaSeenBy(viewer, persona);
});
