import { createExport } from "#shared/api/governance/exports.ts";
import { holdFor } from "#shared/governance/approvals/approval-store.ts";
import { archive, newExport, newExportWrite } from "#shared/governance/exports/export-store.ts";
import { checkExport } from "#shared/governance/policy-rules.ts";
import { policyOf } from "#shared/governance/policy-store.ts";
import { approvalRequired, exportAccepted } from "#shared/http/accepted.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createExport, async ({ principal, commit }) => {
  const policy = await policyOf(principal);
  checkExport(policy);
  const pending = holdFor(principal, policy, "createExport", {});
  if (pending) return commit(approvalRequired(pending.approval), ...pending.writes);
  const exportJob = newExport(principal.userId, archive);
  return commit(exportAccepted(exportJob), newExportWrite(principal, exportJob));
});
