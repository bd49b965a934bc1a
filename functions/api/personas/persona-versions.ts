import { pathOf } from "#shared/api/define-route.ts";
import {
  getPersonaVersionRoute,
  listPersonaVersionsRoute,
  publishPersonaVersionRoute,
  restorePersonaVersionRoute,
  withdrawPersonaVersionRoute,
} from "#shared/api/personas/persona-versions.ts";
import { clearVersion } from "#shared/evaluations/gate/clear-version.ts";
import { findRevisionsInUse } from "#shared/governance/revisions-in-use.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import {
  addVersion,
  changeManagedPersona,
  publishVersion,
  withdrawVersionWrite,
} from "#shared/personas/change-persona.ts";
import { authorizePersonaManagement, toContent } from "#shared/personas/persona-store.ts";
import { getVersion, listVersions } from "#shared/personas/version-store.ts";

export const getPersonaVersionHandler = endpoint(getPersonaVersionRoute, async ({ principal, params }) => {
  const { id } = await authorizePersonaManagement(principal, params.id);
  return getVersion(principal, id, Number(params.version));
});

export const listPersonaVersionsHandler = endpoint(listPersonaVersionsRoute, async ({ principal, params, query }) => {
  const { id } = await authorizePersonaManagement(principal, params.id);
  return pageReply("versions", await listVersions(principal, id, query), query.limit);
});

export const publishPersonaVersionHandler = endpoint(
  publishPersonaVersionRoute,
  ({ principal, params, body, commit }) =>
    changeManagedPersona(principal, params.id, async (before) => {
      const version = await getVersion(principal, before.id, Number(params.version));
      const clearance = await clearVersion(principal, before, version.version, body.override_reason);
      const { persona, writes } = await publishVersion(principal, before, version, body, clearance);
      return commit(persona, ...writes);
    }),
);

export const restorePersonaVersionHandler = endpoint(
  restorePersonaVersionRoute,
  ({ principal, params, body: { note, publish }, commit }) =>
    changeManagedPersona(principal, params.id, async (before) => {
      const restored = await getVersion(principal, before.id, Number(params.version));
      const content = { ...toContent(restored), visibility: before.visibility };
      const revisions = await findRevisionsInUse(principal, content);
      const origin = { author_id: principal.userId, note, revisions, restored_from: restored.version };
      const { version, writes } = addVersion(principal, before, content, { ...origin, isDraft: !publish });
      const location = pathOf(getPersonaVersionRoute, { id: before.id, version: String(version.version) });
      return commit(new Reply(201, version, { location }), ...writes);
    }),
);

export const withdrawPersonaVersionHandler = endpoint(withdrawPersonaVersionRoute, ({ principal, params, commit }) =>
  changeManagedPersona(principal, params.id, async (persona) => {
    await commit(undefined, withdrawVersionWrite(principal, persona, Number(params.version)));
  }),
);
