import { cancelApproval } from "#shared/api/governance/approvals.ts";
import { approvalFor, asOfNow, transitionWrite } from "#shared/governance/approvals/approval-store.ts";
import { cancelled } from "#shared/governance/approvals/approvals.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";

export const handler = endpoint(cancelApproval, async ({ principal, rights, params, commit }) => {
  const { permissions } = await rights();
  const approval = await approvalFor(principal, permissions.has("approval.decide"), params.id);
  const cancellation = { by: principal.userId, at: timestamp() };
  return asOfNow(
    await transition(
      commit,
      approval,
      (from) => cancelled(from, cancellation),
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    ),
  );
});
