import { createPersona } from "#shared/api/personas.ts";
import { newPersona, newPersonaWrite } from "#shared/data/persona-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createPersona, async ({ principal, body, commit }) => {
  const persona = newPersona(principal.userId, body);
  return commit(persona, newPersonaWrite(principal, persona));
});
