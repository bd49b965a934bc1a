import { confirmApprovalRoute } from "#shared/api/governance/approvals.ts";
import { authorizeApproval, transitionWrite, withCurrentStatus } from "#shared/governance/approvals/approval-store.ts";
import { applyConfirmation } from "#shared/governance/approvals/approval-transitions.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { rememberConsent } from "#shared/tools/consent-store.ts";

export const handler = endpoint(confirmApprovalRoute, async ({ principal, rights, params, body, commit }) => {
  const { permissions } = await rights();
  const approval = await authorizeApproval(principal, permissions.has("approval.decide"), params.id);
  const { decision, remember } = body;
  const confirmation = { decision, by: principal.userId, at: timestamp() };
  const confirmed = await transition(
    commit,
    approval,
    (from) => applyConfirmation(from, confirmation),
    (next, onConflict) => transitionWrite(principal, next, onConflict),
  );
  const { tool, conversation_id = null } = approval.run ?? {};
  if (tool && decision === "approve" && remember !== "never") {
    const extent = remember === "always" ? null : conversation_id;
    await rememberConsent(principal, { ...tool, conversation_id: extent });
  }
  return withCurrentStatus(confirmed);
});
