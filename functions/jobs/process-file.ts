import { job } from "#shared/changes/job.ts";
import { parseAttachmentKey } from "#shared/conversations/attachments/attachment-files.ts";
import { processAttachment } from "#shared/conversations/attachments/process-attachment.ts";
import { processDocumentFile } from "#shared/knowledge/process-document-file.ts";
import { parseDocumentKey, type UploadedFile } from "#shared/knowledge/upload-store.ts";

/** Fields of an S3 event that this job reads. */
interface BucketEvent {
  readonly Records?: readonly { readonly s3: { readonly object: { readonly key: string } } }[];
}

/** Extracts the text of an uploaded file, which belongs to a document or to a message. */
async function processObject(key: string): Promise<void> {
  const attachment = parseAttachmentKey(key);
  if (attachment) return processAttachment(attachment);
  const file = parseDocumentKey(key);
  if (file) await processDocumentFile(file);
}

/** Handles S3 events of created objects, and messages that name the file of a document whose upload is overdue. */
export const handler = job<BucketEvent | UploadedFile>(async (message) => {
  if ("tenantId" in message) return processDocumentFile(message);
  // S3 encodes object keys in events as form fields are encoded: `+` is a space.
  for (const { s3 } of message.Records ?? []) {
    await processObject(decodeURIComponent(s3.object.key.replaceAll("+", " ")));
  }
});
