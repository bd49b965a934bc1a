import { completeToolSignInRoute } from "#shared/api/tools/sign-ins.ts";
import { getApproval, transitionWrite } from "#shared/governance/approvals/approval-store.ts";
import { applyConfirmation } from "#shared/governance/approvals/approval-transitions.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { log } from "#shared/lib/log.ts";
import { completeSignIn } from "#shared/tools/oauth/complete-sign-in.ts";

export const handler = endpoint(completeToolSignInRoute, async ({ principal, body, commit }) => {
  const { server, approvalId } = await completeSignIn(principal, body);
  if (approvalId !== null) {
    const confirmation = { decision: "approve", by: principal.userId, at: timestamp() } as const;
    try {
      await transition(
        commit,
        await getApproval(principal, approvalId),
        (from) => applyConfirmation(from, confirmation),
        (next, onConflict) => transitionWrite(principal, next, onConflict),
      );
    } catch (error) {
      // The run has ended or was stopped; the sign-in counts for the next one.
      if (!(error instanceof ServiceError)) throw error;
      log.info("run did not wait for the sign-in any more", { approval_id: approvalId, code: error.code });
    }
  }
  return { server_id: server.id, server_name: server.name };
});
