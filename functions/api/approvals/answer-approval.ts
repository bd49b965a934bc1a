import { answerApprovalRoute } from "#shared/api/governance/approvals.ts";
import { authorizeApproval, transitionWrite, withCurrentStatus } from "#shared/governance/approvals/approval-store.ts";
import { applyAnswers } from "#shared/governance/approvals/approval-transitions.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { requireAnswers } from "#shared/tools/questions.ts";

export const handler = endpoint(answerApprovalRoute, async ({ principal, rights, params, body, commit }) => {
  const { permissions } = await rights();
  const approval = await authorizeApproval(principal, permissions.has("approval.decide"), params.id);
  const { answers } = body;
  const given = { answers, by: principal.userId, at: timestamp() };
  const answered = await transition(
    commit,
    approval,
    (from) => {
      const next = applyAnswers(from, given);
      requireAnswers(from.questions ?? [], answers);
      return next;
    },
    (next, onConflict) => transitionWrite(principal, next, onConflict),
  );
  return withCurrentStatus(answered);
});
