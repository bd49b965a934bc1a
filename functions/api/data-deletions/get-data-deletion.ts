import { getDataDeletionRoute } from "#shared/api/governance/data-deletions.ts";
import { getDeletion } from "#shared/governance/deletion-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(getDataDeletionRoute, async ({ principal, rights, params }) => {
  const deletion = await getDeletion(principal, params.id);
  const isSubjectOrRequester = [deletion.user_id, deletion.requested_by].includes(principal.userId);
  if (!isSubjectOrRequester && !(await rights()).permissions.has("rbac.manage")) throw notFound();
  return deletion;
});
