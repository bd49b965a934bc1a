import { type Capability, capabilities } from "#shared/api/capabilities.ts";
import { pathOf } from "#shared/api/define-route.ts";
import { createDataDeletionRoute, getDataDeletionRoute } from "#shared/api/governance/data-deletions.ts";
import { requestApproval } from "#shared/governance/approvals/require-approval.ts";
import { newDeletion, newDeletionWrite } from "#shared/governance/deletion-store.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { approvalRequired } from "#shared/http/accepted.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";
import { userExists } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(createDataDeletionRoute, async ({ principal, rights, body, commit }) => {
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
});
