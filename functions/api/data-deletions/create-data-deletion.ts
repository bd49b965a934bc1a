import { pathOf } from "#shared/api/define-route.ts";
import { createDataDeletion, getDataDeletion } from "#shared/api/governance/data-deletions.ts";
import { newDeletion, newDeletionWrite } from "#shared/governance/erasure/deletion-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";
import { userExists } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(createDataDeletion, async ({ principal, rights, body, commit }) => {
  if (body.user_id !== principal.userId) {
    if (!(await rights()).permissions.has("rbac.manage")) throw new ServiceError("forbidden");
    if (!(await userExists(principal, body.user_id))) throw notFound();
  }
  const deletion = newDeletion(body.user_id, principal.userId);
  const location = pathOf(getDataDeletion, { id: deletion.id });
  return commit(new Reply(202, deletion, { location }), newDeletionWrite(principal, deletion));
});
