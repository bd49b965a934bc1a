import { confirmApproval } from "#shared/api/governance/approvals.ts";
import { authorizeApproval, transitionWrite, withCurrentStatus } from "#shared/governance/approvals/approval-store.ts";
import { applyConfirmation } from "#shared/governance/approvals/approval-transitions.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";

export const handler = endpoint(confirmApproval, async ({ principal, rights, params, body, commit }) => {
  const { permissions } = await rights();
  const approval = await authorizeApproval(principal, permissions.has("approval.decide"), params.id);
  const confirmation = { ...body, by: principal.userId, at: timestamp() };
  return withCurrentStatus(
    await transition(
      commit,
      approval,
      (from) => applyConfirmation(from, confirmation),
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    ),
  );
});
