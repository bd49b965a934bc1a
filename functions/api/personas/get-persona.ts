import { getPersonaRoute } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { projectPersonaFor } from "#shared/personas/persona-rules.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";

export const handler = endpoint(getPersonaRoute, async ({ principal, params }) => {
  const { persona, viewer } = await authorizePersonaUse(principal, params.id);
  return projectPersonaFor(viewer, persona);
});
