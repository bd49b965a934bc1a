import { createExportRoute } from "#shared/api/governance/exports.ts";
import { requestApprovalIfRequired } from "#shared/governance/approvals/require-approval.ts";
import { startArchive } from "#shared/governance/exports/start-archive.ts";
import { assertExportAllowed } from "#shared/governance/policy-rules.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { approvalRequired, exportAccepted } from "#shared/http/accepted.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createExportRoute, async ({ principal, commit }) => {
  const policy = await getCurrentPolicy(principal);
  assertExportAllowed(policy);
  const pending = requestApprovalIfRequired(principal, policy, "createExport", {});
  if (pending) return commit(approvalRequired(pending.approval), ...pending.writes);
  return startArchive(principal, (archive, writes) => commit(exportAccepted(archive), ...writes));
});
