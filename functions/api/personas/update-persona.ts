import { updatePersonaRoute } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizePersonaManagement, updatePersona } from "#shared/personas/persona-store.ts";
import { requireFittingInstructions } from "#shared/personas/require-fitting-instructions.ts";
import { requireKnownModel } from "#shared/personas/tenant-model-store.ts";
import { requireToolServers } from "#shared/tools/server-store.ts";

export const handler = endpoint(updatePersonaRoute, async ({ principal, params, body }) => {
  await requireKnownModel(principal, body.model);
  await requireToolServers(principal, body.tool_servers);
  const persona = await authorizePersonaManagement(principal, params.id);
  if (body.instructions !== undefined || body.model !== undefined || body.tier !== undefined) {
    requireFittingInstructions({ ...persona, ...body });
  }
  return updatePersona(principal, persona, body);
});
