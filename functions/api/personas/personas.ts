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
import { clearVersion } from "#shared/evaluations/gate/clear-version.ts";
import { findRevisionsInUse } from "#shared/governance/revisions-in-use.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import { invalidField } from "#shared/lib/errors.ts";
import { addVersion, changeManagedPersona, newPersona } from "#shared/personas/change-persona.ts";
import { deletePersona, preparePublication, unpublish } from "#shared/personas/endpoint-store.ts";
import { projectPersonaFor } from "#shared/personas/persona-rules.ts";
import {
  authorizePersonaManagement,
  authorizePersonaUse,
  getPersonaViewer,
  listPersonas,
} from "#shared/personas/persona-store.ts";
import { requireFittingInstructions } from "#shared/personas/require-fitting-instructions.ts";
import { requireKnownModel } from "#shared/personas/tenant-model-store.ts";
import { getVersionContent } from "#shared/personas/version-store.ts";
import { requireToolServers } from "#shared/tools/server-store.ts";

export const createPersonaHandler = endpoint(
  createPersonaRoute,
  async ({ principal, body: { note, ...body }, commit }) => {
    await requireKnownModel(principal, body.model);
    requireFittingInstructions(body);
    await requireToolServers(principal, body.tool_servers);
    const revisions = await findRevisionsInUse(principal, body);
    const { persona, writes } = newPersona(principal, body, { author_id: principal.userId, note, revisions });
    return commit(persona, ...writes);
  },
);

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

export const publishPersonaHandler = endpoint(publishPersonaRoute, async ({ principal, params, body, commit }) =>
  changeManagedPersona(principal, params.id, async (persona) => {
    const { version = persona.version, enabled, override_reason, ...names } = body;
    const content = await getVersionContent(principal, persona, version, "version");
    const clearance = enabled ? await clearVersion(principal, persona, version, override_reason) : null;
    const { published, writes } = preparePublication(principal, persona, { version, content }, names, clearance);
    const isNew = persona.endpoint?.slug !== published.endpoint?.slug;
    const reply = isNew
      ? new Reply(201, published, { location: pathOf(getPersonaRoute, params) })
      : new Reply(200, published);
    return commit(reply, ...writes);
  }),
);

export const unpublishPersonaHandler = endpoint(unpublishPersonaRoute, async ({ principal, params }) => {
  await unpublish(principal, await authorizePersonaManagement(principal, params.id));
});

export const updatePersonaHandler = endpoint(updatePersonaRoute, async ({ principal, params, body, commit }) => {
  const { note, publish, base_version, ...changes } = body;
  if (!publish && changes.visibility !== undefined) {
    throw invalidField("visibility", "not_in_draft", "cannot be part of a draft, because it applies at once");
  }
  await requireKnownModel(principal, changes.model);
  await requireToolServers(principal, changes.tool_servers);
  return changeManagedPersona(principal, params.id, async (before) => {
    const content = { ...(await getVersionContent(principal, before, base_version, "base_version")), ...changes };
    if (changes.instructions !== undefined || changes.model !== undefined || changes.tier !== undefined) {
      requireFittingInstructions(content);
    }
    const origin = { author_id: principal.userId, note, revisions: await findRevisionsInUse(principal, content) };
    const { persona, writes } = addVersion(principal, before, content, { ...origin, isDraft: !publish });
    return commit(persona, ...writes);
  });
});
