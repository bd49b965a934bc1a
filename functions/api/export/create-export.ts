import { createExport } from "#shared/api/governance/exports.ts";
import { holdFor } from "#shared/governance/approvals/approval-store.ts";
import { archive, newExport, newExportWrite } from "#shared/governance/exports/export-store.ts";
import { checkExport } from "#shared/governance/policy-rules.ts";
import { policyOf } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { begunReply, heldReply } from "#shared/http/reply.ts";

export const handler = endpoint(createExport, async ({ principal, commit }) => {
  const policy = await policyOf(principal);
  checkExport(policy);
  const held = holdFor(principal, policy, "createExport", {});
  if (held) return commit(heldReply(held.approval), ...held.writes);
  const fresh = newExport(principal.userId, archive);
  return commit(begunReply(fresh), newExportWrite(principal, fresh));
});
