import { MAX_ATTACHMENT_BYTES } from "../../api/conversations/attachment-limits.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { deleteObject, findObject, findObjectRange, type ObjectRef, presignUrl, putObject } from "../../lib/aws/s3.ts";
import { now } from "../../lib/clock.ts";
import { env } from "../../lib/env.ts";
import type { AttachmentRef, StoredAttachment } from "./attachment-store.ts";

/** Time within which a file must be uploaded, in seconds. */
const UPLOAD_SECONDS = 900;

/** Validity of the URL of a file, in seconds. */
const DOWNLOAD_SECONDS = 300;

/** Maximum size of a stored text: 400,000 characters in UTF-8. */
const MAX_TEXT_BYTES = 1_600_000;

/** Last part of the keys of uploaded files. Files of documents have the number of a version there. */
const UPLOAD_SUFFIX = "attachment";

/** Object of a file that was read: the file itself, without the metadata of an image, or its text. */
type Part = "file" | "text";

const toKey = ({ tenantId }: TenantScope, { conversation_id, id }: AttachmentRef, last: string) =>
  [encodeURIComponent(tenantId), conversation_id, id, last].join("/");

/** File as it was uploaded, before it is read. */
const toUpload = (scope: TenantScope, ref: AttachmentRef): ObjectRef => ({
  bucket: env("UPLOAD_BUCKET").UPLOAD_BUCKET,
  key: toKey(scope, ref, UPLOAD_SUFFIX),
});

const toObject = (scope: TenantScope, ref: AttachmentRef, part: Part): ObjectRef => ({
  bucket: env("ATTACHMENT_BUCKET").ATTACHMENT_BUCKET,
  key: toKey(scope, ref, part),
});

const expiresAt = (seconds: number) => new Date(now() + seconds * 1_000).toISOString();

/** Parses the key of an uploaded object; null if it is not an attachment. */
export function parseAttachmentKey(key: string): (TenantScope & AttachmentRef) | null {
  const [tenant = "", conversation_id = "", id = "", suffix, ...rest] = key.split("/");
  if (suffix !== UPLOAD_SUFFIX || rest.length > 0) return null;
  return { tenantId: decodeURIComponent(tenant), conversation_id, id };
}

/** Returns the request with which a client uploads a file. The URL is valid for its key, type and size only. */
export function createAttachmentUpload(scope: TenantScope, attachment: StoredAttachment) {
  const headers = { "content-length": String(attachment.size), "content-type": attachment.media_type };
  const url = presignUrl("PUT", toUpload(scope, attachment), UPLOAD_SECONDS, { headers });
  return { method: "PUT" as const, url, headers, expires_at: expiresAt(UPLOAD_SECONDS) };
}

/** Encodes a file name for a header (RFC 8187). */
const encodeName = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);

/**
 * Returns a URL with which a browser saves a file. Its type is that of an image or one that no browser displays, so that a
 * file cannot run as a page.
 */
export function createAttachmentDownload(scope: TenantScope, attachment: StoredAttachment) {
  const query = {
    "response-content-disposition": `attachment; filename*=UTF-8''${encodeName(attachment.file_name)}`,
    "response-content-type": attachment.kind === "image" ? attachment.media_type : "application/octet-stream",
  };
  const url = presignUrl("GET", toObject(scope, attachment, "file"), DOWNLOAD_SECONDS, { query });
  return { url, expires_at: expiresAt(DOWNLOAD_SECONDS) };
}

/** Stores a file that the service has received itself, as if its user had uploaded it. */
export const storeUpload = (scope: TenantScope, ref: AttachmentRef, content: Uint8Array): Promise<void> =>
  putObject(toUpload(scope, ref), content);

/** Returns an uploaded file, or undefined if it was not uploaded. */
export const findUpload = (scope: TenantScope, ref: AttachmentRef): Promise<Buffer | undefined> =>
  findObject(toUpload(scope, ref), MAX_ATTACHMENT_BYTES);

export const deleteUpload = (scope: TenantScope, ref: AttachmentRef): Promise<void> =>
  deleteObject(toUpload(scope, ref));

/** Stores a file that was read. */
export const storeAttachmentPart = (scope: TenantScope, ref: AttachmentRef, part: Part, content: Uint8Array) =>
  putObject(toObject(scope, ref, part), content);

const findPart = (scope: TenantScope, ref: AttachmentRef, part: Part, maxBytes: number): Promise<Buffer | undefined> =>
  findObject(toObject(scope, ref, part), maxBytes);

/** Returns a file that was read; undefined if it was deleted. */
export const findAttachmentFile = (scope: TenantScope, ref: AttachmentRef) =>
  findPart(scope, ref, "file", MAX_ATTACHMENT_BYTES);

/** Number of bytes of a file that are read with one request when it is streamed. */
const RANGE_BYTES = 1_048_576;

/**
 * Returns a file that was read as a stream, so that only a part of it is in memory; undefined if it was deleted. Each part
 * has a request of its own, which can be repeated, and no connection waits for a slow reader.
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

/** Returns the stored beginning of the text of a file; undefined if it was deleted. */
export const findAttachmentText = async (scope: TenantScope, ref: AttachmentRef): Promise<string | undefined> =>
  (await findPart(scope, ref, "text", MAX_TEXT_BYTES))?.toString();

export async function deleteAttachmentFiles(scope: TenantScope, ref: AttachmentRef): Promise<void> {
  await Promise.all((["file", "text"] as const).map((part) => deleteObject(toObject(scope, ref, part))));
}
