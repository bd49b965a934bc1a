import { decideApprovalRoute } from "#shared/api/governance/approvals.ts";
import { validateEditedParams } from "#shared/governance/approvals/approvable-actions.ts";
import { getApproval, transitionWrite, withCurrentStatus } from "#shared/governance/approvals/approval-store.ts";
import { applyDecision } from "#shared/governance/approvals/approval-transitions.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { authorizeDecider } from "#shared/tenancy/api-key-store.ts";

export const handler = endpoint(decideApprovalRoute, async ({ principal, params, body, commit }) => {
  const approval = await getApproval(principal, params.id);
  await authorizeDecider(principal, approval.requested_by);
  const decision = {
    ...body,
    params: body.params && validateEditedParams(approval, body.params),
    by: principal.userId,
    at: timestamp(),
  };
  return withCurrentStatus(
    await transition(
      commit,
      approval,
      (from) => applyDecision(from, decision),
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    ),
  );
});
