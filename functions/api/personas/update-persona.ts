import { updatePersona } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as personas from "#shared/personas/persona-store.ts";
import { requireKnownModel } from "#shared/personas/tenant-model-store.ts";
import { requireToolServers } from "#shared/tools/server-store.ts";

export const handler = endpoint(updatePersona, async ({ principal, params, body }) => {
  await requireKnownModel(principal, body.model);
  await requireToolServers(principal, body.tool_servers);
  const persona = await personas.authorizePersonaManagement(principal, params.id);
  return personas.updatePersona(principal, persona, body);
});
