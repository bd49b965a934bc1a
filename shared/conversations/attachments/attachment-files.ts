import { MAX_ATTACHMENT_BYTES } from "../../api/conversations/attachment-limits.ts";
import { UPLOAD_SECONDS } from "../../api/limits.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { deleteObject, findObject, findObjectRange, type ObjectRef, presignUrl, putObject } from "../../lib/aws/s3.ts";
import { now } from "../../lib/clock.ts";
import { env } from "../../lib/env.ts";
import type { AttachmentRef, StoredAttachment } from "./attachment-store.ts";

/** Validity of a download URL, in seconds. */
const DOWNLOAD_SECONDS = 300;

/** Maximum size of a stored text in bytes: 400,000 characters of up to four bytes in UTF-8. */
const MAX_TEXT_BYTES = 1_600_000;

/**
 * Last part of the keys of uploaded attachments. It distinguishes them from uploads for documents, whose keys end with
 * a version number.
 */
const UPLOAD_SUFFIX = "attachment";

/** Objects of a processed attachment: the file, for an image without its metadata, and the extracted text. */
type Part = "file" | "text";

const toKey = ({ tenantId }: TenantScope, { conversation_id, id }: AttachmentRef, last: string) =>
  [encodeURIComponent(tenantId), conversation_id, id, last].join("/");

/** Returns the object to which a client uploads a file, before it is checked. */
const toUpload = (scope: TenantScope, ref: AttachmentRef): ObjectRef => ({
  bucket: env("UPLOAD_BUCKET").UPLOAD_BUCKET,
  key: toKey(scope, ref, UPLOAD_SUFFIX),
});

const toObject = (scope: TenantScope, ref: AttachmentRef, part: Part): ObjectRef => ({
  bucket: env("ATTACHMENT_BUCKET").ATTACHMENT_BUCKET,
  key: toKey(scope, ref, part),
});

const expiresAt = (seconds: number) => new Date(now() + seconds * 1_000).toISOString();

/** Parses the key of an uploaded object. Returns null if the object is not an attachment. */
export function parseAttachmentKey(key: string): (TenantScope & AttachmentRef) | null {
  const [tenant = "", conversation_id = "", id = "", suffix, ...rest] = key.split("/");
  if (suffix !== UPLOAD_SUFFIX || rest.length > 0) return null;
  return { tenantId: decodeURIComponent(tenant), conversation_id, id };
}

/**
 * Returns the request with which a client uploads a file. The signature covers key, media type and size. The upload
 * starts `functions/jobs/process-file.ts` through the queue in `infra/stacks/files-stack.ts`.
 */
export function createAttachmentUpload(scope: TenantScope, attachment: StoredAttachment) {
  const headers = { "content-length": String(attachment.size), "content-type": attachment.media_type };
  const url = presignUrl("PUT", toUpload(scope, attachment), UPLOAD_SECONDS, { headers });
  return { method: "PUT" as const, url, headers, expires_at: expiresAt(UPLOAD_SECONDS) };
}

/** Encodes a file name for the header `Content-Disposition` (RFC 8187). */
const encodeName = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);

/**
 * Returns a URL from which a browser saves a file. Files other than images get the media type
 * `application/octet-stream`, so that no browser opens them as a page.
 */
export function createAttachmentDownload(scope: TenantScope, attachment: StoredAttachment) {
  const query = {
    "response-content-disposition": `attachment; filename*=UTF-8''${encodeName(attachment.file_name)}`,
    "response-content-type": attachment.kind === "image" ? attachment.media_type : "application/octet-stream",
  };
  const url = presignUrl("GET", toObject(scope, attachment, "file"), DOWNLOAD_SECONDS, { query });
  return { url, expires_at: expiresAt(DOWNLOAD_SECONDS) };
}

/** Stores a file that the service itself has received, such as from a messenger, in place of an upload by the user. */
export const storeUpload = (scope: TenantScope, ref: AttachmentRef, content: Uint8Array): Promise<void> =>
  putObject(toUpload(scope, ref), content);

/** Returns an uploaded file, or undefined if it was not uploaded or is already deleted. */
export const findUpload = (scope: TenantScope, ref: AttachmentRef): Promise<Buffer | undefined> =>
  findObject(toUpload(scope, ref), MAX_ATTACHMENT_BYTES);

export const deleteUpload = (scope: TenantScope, ref: AttachmentRef): Promise<void> =>
  deleteObject(toUpload(scope, ref));

/** Stores the checked file of an attachment, or its text, in `ATTACHMENT_BUCKET`; uploads are in another bucket. */
export const storeAttachmentPart = (scope: TenantScope, ref: AttachmentRef, part: Part, content: Uint8Array) =>
  putObject(toObject(scope, ref, part), content);

const findPart = (scope: TenantScope, ref: AttachmentRef, part: Part, maxBytes: number): Promise<Buffer | undefined> =>
  findObject(toObject(scope, ref, part), maxBytes);

/** Returns the checked file of an attachment, or undefined if it was deleted. */
export const findAttachmentFile = (scope: TenantScope, ref: AttachmentRef) =>
  findPart(scope, ref, "file", MAX_ATTACHMENT_BYTES);

/** Number of bytes that are read per request when a file is streamed. */
const RANGE_BYTES = 1_048_576;

/**
 * Streams the checked file of an attachment; undefined if it was deleted. Each range is a separate S3 request, so that
 * only one is in memory, a failed one can be repeated, and a slow reader holds no connection open.
 */
export async function openAttachmentFile(
  scope: TenantScope,
  attachment: AttachmentRef & Pick<StoredAttachment, "size">,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const object = toObject(scope, attachment, "file");
  const first = await findObjectRange(object, 0, RANGE_BYTES);
  if (!first) return undefined;
  return (async function* () {
    yield first;
    for (let start = RANGE_BYTES; start < attachment.size; start += RANGE_BYTES) {
      const bytes = await findObjectRange(object, start, RANGE_BYTES);
      if (!bytes) throw new Error("The file was deleted while it was read");
      yield bytes;
    }
  })();
}

/** Returns the stored text of a file, which may be only its beginning; undefined if it was deleted. */
export const findAttachmentText = async (scope: TenantScope, ref: AttachmentRef): Promise<string | undefined> =>
  (await findPart(scope, ref, "text", MAX_TEXT_BYTES))?.toString();

export async function deleteAttachmentFiles(scope: TenantScope, ref: AttachmentRef): Promise<void> {
  await Promise.all((["file", "text"] as const).map((part) => deleteObject(toObject(scope, ref, part))));
}
