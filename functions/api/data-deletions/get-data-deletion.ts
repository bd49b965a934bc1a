import { getDataDeletion } from "#shared/api/data-deletions.ts";
import { getDeletion } from "#shared/data/deletion-store.ts";
import { notFound } from "#shared/errors.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getDataDeletion, async ({ principal, rights, params }) => {
  const deletion = await getDeletion(principal, params.id);
  const isConcerned = [deletion.user_id, deletion.requested_by].includes(principal.userId);
  if (!isConcerned && !(await rights()).permissions.has("rbac.manage")) throw notFound();
  return deletion;
});
