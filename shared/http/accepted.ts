import { pathOf } from "../api/define-route.ts";
import { getApprovalRoute } from "../api/governance/approvals.ts";
import { getExportRoute } from "../api/governance/exports.ts";
import { Reply } from "./reply.ts";

/** Creates the 202 reply to a request whose action requires approval. `Location` is the path of the approval. */
export function approvalRequired<Approval extends { readonly id: string }>(
  approval: Approval,
): Reply<{ approval: Approval }> {
  return new Reply(202, { approval }, { location: pathOf(getApprovalRoute, { id: approval.id }) });
}

/**
 * Creates the 202 reply to a request that started an export. `Location` is the path of the export; it has no download
 * URLs yet.
 */
export function exportAccepted<Export extends { readonly id: string }>(started: Export) {
  const { id } = started;
  return new Reply(
    202,
    { export: { ...started, download_url: null, zip_urls: [] } },
    { location: pathOf(getExportRoute, { id }) },
  );
}
