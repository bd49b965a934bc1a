import { decideApproval } from "#shared/api/approvals.ts";
import { timestamp } from "#shared/clock.ts";
import { asOfNow, getApproval, transitionWrite } from "#shared/data/approval-store.ts";
import { decided } from "#shared/domain/approvals.ts";
import { editedParams } from "#shared/domain/held-actions.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { transition } from "#shared/http/transition.ts";

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
      (next, overtaken) => transitionWrite(principal, next, overtaken),
    ),
  );
});
