import { createExport } from "#shared/api/governance/exports.ts";
import { requestApprovalIfRequired } from "#shared/governance/approvals/approval-store.ts";
import { archiveSource, newExport, newExportWrite } from "#shared/governance/exports/export-store.ts";
import { assertExportAllowed } from "#shared/governance/policy-rules.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { approvalRequired, exportAccepted } from "#shared/http/accepted.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createExport, async ({ principal, commit }) => {
  const policy = await getCurrentPolicy(principal);
  assertExportAllowed(policy);
  const pending = requestApprovalIfRequired(principal, policy, "createExport", {});
  if (pending) return commit(approvalRequired(pending.approval), ...pending.writes);
  const exportJob = newExport(principal.userId, archiveSource);
  return commit(exportAccepted(exportJob), newExportWrite(principal, exportJob));
});
