import {
  createExportRoute,
  exportConversationRoute,
  getExportRoute,
  listExportsRoute,
} from "#shared/api/governance/exports.ts";
import { openConversation } from "#shared/conversations/authorize-conversation.ts";
import { requestApprovalIfRequired } from "#shared/governance/approvals/require-approval.ts";
import {
  deliveredExportWrite,
  getExport,
  listExports,
  newExport,
  newExportWrite,
} from "#shared/governance/exports/export-store.ts";
import { renderTranscript } from "#shared/governance/exports/render-transcript.ts";
import { startArchive } from "#shared/governance/exports/start-archive.ts";
import { transcriptMediaTypes } from "#shared/governance/exports/transcript-renderers.ts";
import { withDownloadUrl } from "#shared/governance/exports/verify-download.ts";
import { assertExportAllowed } from "#shared/governance/policy-rules.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { approvalRequired, exportAccepted } from "#shared/http/accepted.ts";
import type { ValidatedRequest } from "#shared/http/chain.ts";
import { endpoint, secretEndpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply, type ReplyBody } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { ServiceError } from "#shared/lib/errors.ts";

export const createExportHandler = endpoint(createExportRoute, async ({ principal, commit }) => {
  const policy = await getCurrentPolicy(principal);
  assertExportAllowed(policy);
  const pending = requestApprovalIfRequired(principal, policy, "createExport", {});
  if (pending) return commit(approvalRequired(pending.approval), ...pending.writes);
  return startArchive(principal, (archive, writes) => commit(exportAccepted(archive), ...writes));
});

type ExportRequest = ValidatedRequest<typeof exportConversationRoute>;

/**
 * Result of an export request: the transcript; only its time, as stored for retries, which render the transcript again; or the
 * export that was started or requires approval.
 */
type ExportResult =
  | { readonly text: string }
  | { readonly exported_at: string }
  | ReplyBody<typeof exportConversationRoute>;

/**
 * Renders the transcript again for a retry, with the export time of the first request. A transcript is too large to be
 * stored with its idempotency key.
 */
async function recreateTranscript(
  { principal, params, body: { format } }: ExportRequest,
  exportedAt: string,
): Promise<string> {
  const conversation = await openConversation(principal, params.id);
  assertExportAllowed(await getCurrentPolicy(principal), format);
  const text = await renderTranscript(principal, conversation, format, exportedAt);
  if (text === null) throw new ServiceError("conflict", "The conversation has grown too large; start a new export.");
  return text;
}

export const exportConversationHandler = secretEndpoint(
  exportConversationRoute,
  async ({ principal, params, body: { format }, commit }): Promise<Reply<ExportResult>> => {
    const conversation = await openConversation(principal, params.id);
    const policy = await getCurrentPolicy(principal);
    assertExportAllowed(policy, format);
    const pending = requestApprovalIfRequired(principal, policy, "exportConversation", {
      conversation_id: params.id,
      format,
    });
    if (pending) return commit(approvalRequired(pending.approval), ...pending.writes);
    const source = { kind: "conversation", conversation_id: params.id, format } as const;
    const exported_at = timestamp();
    const text = await renderTranscript(principal, conversation, format, exported_at);
    if (text === null) {
      const exportJob = newExport(principal.userId, source);
      return commit(exportAccepted(exportJob), newExportWrite(principal, exportJob));
    }
    const headers = { "content-type": transcriptMediaTypes[format] };
    await commit(new Reply(200, { exported_at }, headers), deliveredExportWrite(principal, principal.userId, source));
    return new Reply(200, { text }, headers);
  },
  async (result, _, request) => {
    if ("text" in result) return result.text as never;
    return "exported_at" in result ? ((await recreateTranscript(request, result.exported_at)) as never) : result;
  },
);

export const getExportHandler = endpoint(getExportRoute, async ({ principal, params }) =>
  withDownloadUrl(principal, await getExport(principal, params.id)),
);

export const listExportsHandler = endpoint(listExportsRoute, async ({ principal, query }) => {
  const { entries, next } = await listExports(principal, query);
  const withUrls = await Promise.all(entries.map((entry) => withDownloadUrl(principal, entry)));
  return pageReply("exports", { entries: withUrls, next }, query.limit);
});
