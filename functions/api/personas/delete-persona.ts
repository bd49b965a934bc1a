import { deletePersona } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as endpoints from "#shared/personas/endpoint-store.ts";
import { authorizePersonaManagement } from "#shared/personas/persona-store.ts";

export const handler = endpoint(deletePersona, async ({ principal, params }) => {
  await endpoints.deletePersona(principal, await authorizePersonaManagement(principal, params.id));
});
