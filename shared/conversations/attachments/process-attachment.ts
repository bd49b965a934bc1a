import { attachmentFailures, MAX_ATTACHMENT_CHARACTERS, MAX_IMAGE_SIDE } from "../../api/conversations/attachments.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { extractInProcess } from "../../files/extract-in-process.ts";
import { ExtractionError } from "../../files/extraction-error.ts";
import { cleanImage } from "../../files/images/clean-image.ts";
import { findPageStarts, toMarkdown } from "../../files/segments/to-markdown.ts";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { deleteAttachmentFiles, deleteUpload, findUpload, storeAttachmentPart } from "./attachment-files.ts";
import {
  type AttachmentFailure,
  type AttachmentRef,
  findAttachments,
  type StoredAttachment,
  updatePendingAttachment,
} from "./attachment-store.ts";
import { findTextType } from "./attachment-types.ts";

/** Maximum number of attempts to read a file. A file that crashes the function this often is marked as failed. */
const MAX_ATTEMPTS = 3;

/** True if the attachment is no longer pending: it was deleted, or another job has finished reading its file. */
const isOutdated = (error: unknown) => error instanceof ServiceError && error.code === "not_found";

/** Changes of the attachment that result from reading its file. */
type Outcome = Partial<StoredAttachment>;

const failed = (code: AttachmentFailure): Outcome => ({
  status: "failed",
  failure: { code, message: attachmentFailures[code] },
});

/** Stores an image without its metadata, such as the place where it was taken. */
async function readImage(scope: TenantScope, ref: AttachmentRef, upload: Buffer): Promise<Outcome> {
  const { mediaType, content, width, height } = cleanImage(upload);
  if (width === 0 || height === 0) return failed("corrupt");
  if (Math.max(width, height) > MAX_IMAGE_SIDE) return failed("image_too_large");
  await storeAttachmentPart(scope, ref, "file", content);
  return { status: "ready", media_type: mediaType, size: content.length, width, height };
}

/** Stores a file and its text, of which at most `MAX_ATTACHMENT_CHARACTERS` are kept. */
async function readFile(scope: TenantScope, attachment: StoredAttachment, upload: Buffer): Promise<Outcome> {
  const { segments } = await extractInProcess(upload, findTextType(attachment.file_name) ?? "text");
  const text = toMarkdown(segments);
  const stored = text.slice(0, MAX_ATTACHMENT_CHARACTERS).toWellFormed();
  await Promise.all([
    storeAttachmentPart(scope, attachment, "file", upload),
    storeAttachmentPart(scope, attachment, "text", Buffer.from(stored)),
  ]);
  const pageStarts = findPageStarts(segments).filter((start) => start < stored.length);
  return { status: "ready", characters: text.length, ...(pageStarts.length > 0 && { page_starts: pageStarts }) };
}

async function read(scope: TenantScope, attachment: StoredAttachment): Promise<Outcome> {
  const { attempts = 0, kind } = attachment;
  if (attempts >= MAX_ATTEMPTS) return failed("processing_failed");
  const upload = await findUpload(scope, attachment);
  if (!upload) return failed("upload_missing");
  await updatePendingAttachment(scope, attachment, { attempts: attempts + 1 });
  try {
    return await (kind === "image" ? readImage : readFile)(scope, attachment, upload);
  } catch (error) {
    if (error instanceof ExtractionError) return failed(error.code);
    throw error;
  }
}

/**
 * Processes an uploaded file: checks its content, removes the metadata of an image, extracts the text of other files,
 * and deletes the upload. Idempotent: if the file was already processed, or the attachment was deleted, only the
 * remaining objects are deleted.
 */
export async function processAttachment({ tenantId, ...ref }: TenantScope & AttachmentRef): Promise<void> {
  const scope: TenantScope = { tenantId };
  const [attachment] = await findAttachments(scope, [ref]);
  try {
    if (attachment?.status === "pending") {
      await updatePendingAttachment(scope, ref, await read(scope, attachment));
    }
  } catch (error) {
    if (!isOutdated(error)) throw error;
    log.info("attachment processing superseded", { attachment_id: ref.id });
  }
  const [current] = attachment ? await findAttachments(scope, [ref]) : [];
  if (!current) await deleteAttachmentFiles(scope, ref);
  await deleteUpload(scope, ref);
}
