import { downloadExportRoute } from "#shared/api/governance/exports.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { getExport, recordDownload, streamExportText } from "#shared/governance/exports/export-store.ts";
import { streamArchive } from "#shared/governance/exports/stream-archive.ts";
import { transcriptMediaTypes } from "#shared/governance/exports/transcript-renderers.ts";
import { verifyDownload } from "#shared/governance/exports/verify-download.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { requireActiveTenant } from "#shared/tenancy/tenant-store.ts";

const fileExtensions = { json: "json", markdown: "md", ndjson: "ndjson" } as const;

export const handler = streamEndpoint(downloadExportRoute, async ({ params }) => {
  const { exportId, part, ...owner } = await verifyDownload(params.token);
  await requireActiveTenant(owner);
  const entry = await getExport(owner, exportId);
  // The conversation may have been deleted or unshared since the export.
  if (entry.conversation_id !== null) await authorizeConversation(owner, entry.conversation_id, "READ");
  await recordDownload(owner, entry);
  const { kind, format, created_at, zip_parts = 1 } = entry;
  const isZip = part !== undefined;
  const extension = isZip ? "zip" : fileExtensions[format];
  const suffix = isZip && zip_parts > 1 ? `-${part}-of-${zip_parts}` : "";
  return new StreamReply(isZip ? streamArchive(owner, entry, part) : streamExportText(owner, entry), {
    "content-type": isZip ? "application/zip" : transcriptMediaTypes[format],
    "content-disposition": `attachment; filename="${kind}-${created_at.slice(0, 10)}${suffix}.${extension}"`,
    "referrer-policy": "no-referrer",
  });
});
