import { deletePersonaRoute } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { deletePersona } from "#shared/personas/endpoint-store.ts";
import { authorizePersonaManagement } from "#shared/personas/persona-store.ts";

export const handler = endpoint(deletePersonaRoute, async ({ principal, params }) => {
  await deletePersona(principal, await authorizePersonaManagement(principal, params.id));
});
