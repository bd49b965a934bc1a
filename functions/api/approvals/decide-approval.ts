import { decideApproval } from "#shared/api/governance/approvals.ts";
import { editedParams } from "#shared/governance/approvals/approvable-actions.ts";
import { asOfNow, getApproval, transitionWrite } from "#shared/governance/approvals/approval-store.ts";
import { decided } from "#shared/governance/approvals/approvals.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";

export const handler = endpoint(decideApproval, async ({ principal, params, body, commit }) => {
  const approval = await getApproval(principal, params.id);
  const decision = {
    ...body,
    params: body.params && editedParams(approval, body.params),
    by: principal.userId,
    at: timestamp(),
  };
  return asOfNow(
    await transition(
      commit,
      approval,
      (from) => decided(from, decision),
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    ),
  );
});
