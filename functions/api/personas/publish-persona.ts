import { pathOf } from "#shared/api/define-route.ts";
import { getPersonaRoute, publishPersonaRoute } from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { preparePublication } from "#shared/personas/endpoint-store.ts";
import { authorizePersonaManagement } from "#shared/personas/persona-store.ts";

export const handler = endpoint(publishPersonaRoute, async ({ principal, params, body, commit }) => {
  const persona = await authorizePersonaManagement(principal, params.id);
  const { published, writes } = preparePublication(principal, persona, body);
  const isNew = persona.endpoint?.slug !== published.endpoint?.slug;
  const reply = isNew
    ? new Reply(201, published, { location: pathOf(getPersonaRoute, params) })
    : new Reply(200, published);
  return commit(reply, ...writes);
});
