import { unpublishPersonaRoute } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { unpublish } from "#shared/personas/endpoint-store.ts";
import { authorizePersonaManagement } from "#shared/personas/persona-store.ts";

export const handler = endpoint(unpublishPersonaRoute, async ({ principal, params }) => {
  await unpublish(principal, await authorizePersonaManagement(principal, params.id));
});
