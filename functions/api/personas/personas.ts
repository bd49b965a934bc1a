import { pathOf } from "#shared/api/define-route.ts";
import {
  createPersonaRoute,
  deletePersonaRoute,
  getPersonaRoute,
  listPersonasRoute,
  publishPersonaRoute,
  unpublishPersonaRoute,
  updatePersonaRoute,
} from "#shared/api/personas/personas.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import { deletePersona, preparePublication, unpublish } from "#shared/personas/endpoint-store.ts";
import { projectPersonaFor } from "#shared/personas/persona-rules.ts";
import {
  authorizePersonaManagement,
  authorizePersonaUse,
  getPersonaViewer,
  listPersonas,
  newPersona,
  newPersonaWrite,
  updatePersona,
} from "#shared/personas/persona-store.ts";
import { requireFittingInstructions } from "#shared/personas/require-fitting-instructions.ts";
import { requireKnownModel } from "#shared/personas/tenant-model-store.ts";
import { requireToolServers } from "#shared/tools/server-store.ts";

export const createPersonaHandler = endpoint(createPersonaRoute, async ({ principal, body, commit }) => {
  await requireKnownModel(principal, body.model);
  requireFittingInstructions(body);
  await requireToolServers(principal, body.tool_servers);
  const persona = newPersona(principal.userId, body);
  return commit(persona, newPersonaWrite(principal, persona));
});

export const deletePersonaHandler = endpoint(deletePersonaRoute, async ({ principal, params }) => {
  await deletePersona(principal, await authorizePersonaManagement(principal, params.id));
});

export const getPersonaHandler = endpoint(getPersonaRoute, async ({ principal, params }) => {
  const { persona, viewer } = await authorizePersonaUse(principal, params.id);
  return projectPersonaFor(viewer, persona);
});

export const listPersonasHandler = endpoint(listPersonasRoute, async ({ principal, query }) => {
  const viewer = await getPersonaViewer(principal);
  const { entries, next } = await listPersonas(principal, viewer, query);
  return pageReply(
    "personas",
    { entries: entries.map((persona) => projectPersonaFor(viewer, persona)), next },
    query.limit,
  );
});

export const publishPersonaHandler = endpoint(publishPersonaRoute, async ({ principal, params, body, commit }) => {
  const persona = await authorizePersonaManagement(principal, params.id);
  const { published, writes } = preparePublication(principal, persona, body);
  const isNew = persona.endpoint?.slug !== published.endpoint?.slug;
  const reply = isNew
    ? new Reply(201, published, { location: pathOf(getPersonaRoute, params) })
    : new Reply(200, published);
  return commit(reply, ...writes);
});

export const unpublishPersonaHandler = endpoint(unpublishPersonaRoute, async ({ principal, params }) => {
  await unpublish(principal, await authorizePersonaManagement(principal, params.id));
});

export const updatePersonaHandler = endpoint(updatePersonaRoute, async ({ principal, params, body }) => {
  await requireKnownModel(principal, body.model);
  await requireToolServers(principal, body.tool_servers);
  const persona = await authorizePersonaManagement(principal, params.id);
  if (body.instructions !== undefined || body.model !== undefined || body.tier !== undefined) {
    requireFittingInstructions({ ...persona, ...body });
  }
  return updatePersona(principal, persona, body);
});
