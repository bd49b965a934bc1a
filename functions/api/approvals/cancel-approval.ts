import { cancelApprovalRoute } from "#shared/api/governance/approvals.ts";
import { authorizeApproval, transitionWrite, withCurrentStatus } from "#shared/governance/approvals/approval-store.ts";
import { applyCancellation } from "#shared/governance/approvals/approval-transitions.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";

export const handler = endpoint(cancelApprovalRoute, async ({ principal, rights, params, commit }) => {
  const { permissions } = await rights();
  const approval = await authorizeApproval(principal, permissions.has("approval.decide"), params.id);
  const cancellation = { by: principal.userId, at: timestamp() };
  return withCurrentStatus(
    await transition(
      commit,
      approval,
      (from) => applyCancellation(from, cancellation),
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    ),
  );
});
