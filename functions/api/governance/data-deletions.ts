import { type Capability, capabilities } from "#shared/api/capabilities.ts";
import { pathOf } from "#shared/api/define-route.ts";
import { createDataDeletionRoute, getDataDeletionRoute } from "#shared/api/governance/data-deletions.ts";
import { isPersonId } from "#shared/auth/principal.ts";
import type { TenantScope } from "#shared/dynamodb/tenant-scope.ts";
import { requestApproval } from "#shared/governance/approvals/require-approval.ts";
import { getDeletion, newDeletion, newDeletionWrite } from "#shared/governance/deletion-store.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { approvalRequired } from "#shared/http/accepted.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";
import { isKeyManaged } from "#shared/tenancy/stored-user.ts";
import { getUser, userExists } from "#shared/tenancy/user-store.ts";

/**
 * Requires that the caller can give the content of a deactivated user to an active person.
 * @throws ServiceError `forbidden`, `not_found`, `conflict`
 */
async function requireHandOver(
  scope: TenantScope,
  permissions: ReadonlySet<Capability>,
  userId: string,
  successorId: string,
): Promise<void> {
  if (!permissions.has("users.hand_over")) {
    throw new ServiceError("forbidden", "This operation requires the capability users.hand_over.");
  }
  const [user, successor] = await Promise.all([getUser(scope, userId), getUser(scope, successorId)]);
  if (!user.deactivated_at)
    throw new ServiceError("conflict", "Only the content of deactivated users can be handed over.");
  if (successor.deactivated_at || !isPersonId(successorId) || isKeyManaged(successor)) {
    throw new ServiceError("conflict", "Content can be handed over only to an active person who signs in.");
  }
}

export const createDataDeletionHandler = endpoint(
  createDataDeletionRoute,
  async ({ principal, rights, body, commit }) => {
    if (body.successor_id !== undefined) {
      const { permissions } = await rights();
      await requireHandOver(principal, permissions, body.user_id, body.successor_id);
      const handOver = newDeletion(body.user_id, principal.userId, body.successor_id);
      const location = pathOf(getDataDeletionRoute, { id: handOver.id });
      return commit(new Reply(202, handOver, { location }), newDeletionWrite(principal, handOver));
    }
    if (body.user_id !== principal.userId) {
      const { permissions } = await rights();
      if (!permissions.has("rbac.manage")) throw new ServiceError("forbidden");
      if (!(await userExists(principal, body.user_id))) throw notFound();
      // The roles of other users are known from their tokens only, so a caller without all permissions may have fewer.
      if (!Object.keys(capabilities).every((capability) => permissions.has(capability as Capability))) {
        const policy = await getCurrentPolicy(principal);
        const { approval, writes } = requestApproval(principal, policy, "eraseUser", { user_id: body.user_id });
        return commit(approvalRequired(approval), ...writes);
      }
    }
    const deletion = newDeletion(body.user_id, principal.userId);
    const location = pathOf(getDataDeletionRoute, { id: deletion.id });
    return commit(new Reply(202, deletion, { location }), newDeletionWrite(principal, deletion));
  },
);

export const getDataDeletionHandler = endpoint(getDataDeletionRoute, async ({ principal, rights, params }) => {
  const deletion = await getDeletion(principal, params.id);
  const isSubjectOrRequester = [deletion.user_id, deletion.requested_by].includes(principal.userId);
  if (!isSubjectOrRequester && !(await rights()).permissions.has("rbac.manage")) throw notFound();
  return deletion;
});
