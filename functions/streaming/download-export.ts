import { downloadExport } from "#shared/api/governance/exports.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { exportText, getExport, recordDownload } from "#shared/governance/exports/export-store.ts";
import { mediaTypes } from "#shared/governance/exports/transcript.ts";
import { verifyDownload } from "#shared/governance/exports/verify-download.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";

const endings = { json: "json", markdown: "md", ndjson: "ndjson" } as const;

export const handler = streamEndpoint(downloadExport, async ({ params }) => {
  const { exportId, ...owner } = verifyDownload(params.token);
  const found = await getExport(owner, exportId);
  // What is not shared any more, or deleted, is not given out either.
  if (found.conversation_id !== null) await authorizeConversation(owner, found.conversation_id, "READ");
  await recordDownload(owner, found);
  const { kind, format, created_at } = found;
  return new StreamReply(exportText(owner, found), {
    "content-type": mediaTypes[format],
    "content-disposition": `attachment; filename="${kind}-${created_at.slice(0, 10)}.${endings[format]}"`,
    "referrer-policy": "no-referrer",
  });
});
