import { createPersonaRoute } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { newPersona, newPersonaWrite } from "#shared/personas/persona-store.ts";
import { requireFittingInstructions } from "#shared/personas/require-fitting-instructions.ts";
import { requireKnownModel } from "#shared/personas/tenant-model-store.ts";
import { requireToolServers } from "#shared/tools/server-store.ts";

export const handler = endpoint(createPersonaRoute, async ({ principal, body, commit }) => {
  await requireKnownModel(principal, body.model);
  requireFittingInstructions(body);
  await requireToolServers(principal, body.tool_servers);
  const persona = newPersona(principal.userId, body);
  return commit(persona, newPersonaWrite(principal, persona));
});
