import { updatePersona } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as personas from "#shared/personas/persona-store.ts";

export const handler = endpoint(updatePersona, async ({ principal, params, body }) => {
  const persona = await personas.authorizePersonaManagement(principal, params.id);
  return personas.updatePersona(principal, persona, body);
});
