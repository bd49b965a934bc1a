import { job } from "#shared/changes/job.ts";
import { processFile } from "#shared/knowledge/files/process-file.ts";
import { parseObjectKey, type UploadedFile } from "#shared/knowledge/upload-store.ts";

/** Fields of an S3 event that this job reads. */
interface BucketEvent {
  readonly Records?: readonly { readonly s3: { readonly object: { readonly key: string } } }[];
}

/** Returns the files that a message refers to: the created objects of an S3 event, or the file whose upload is overdue. */
function toFiles(message: BucketEvent | UploadedFile): UploadedFile[] {
  if ("tenantId" in message) return [message];
  return (message.Records ?? []).flatMap(({ s3 }) => {
    // S3 encodes object keys in events as form fields are encoded: `+` is a space.
    const file = parseObjectKey(decodeURIComponent(s3.object.key.replaceAll("+", " ")));
    return file ? [file] : [];
  });
}

export const handler = job<BucketEvent | UploadedFile>(async (message) => {
  for (const file of toFiles(message)) await processFile(file);
});
