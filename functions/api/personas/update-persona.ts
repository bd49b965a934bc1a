import { updatePersona } from "#shared/api/personas.ts";
import * as personas from "#shared/data/persona-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updatePersona, async ({ principal, params, body }) => {
  const persona = await personas.managedPersona(principal, params.id);
  return personas.updatePersona(principal, persona, body);
});
