import { documentTypes } from "../api/knowledge/document-types.ts";
import { UPLOAD_SECONDS } from "../api/limits.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { deleteObject, findObject, type ObjectRef, presignUrl, putObject } from "../lib/aws/s3.ts";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import type { VersionRef } from "./document-state.ts";
import type { DocumentRef } from "./document-store.ts";

/** Document version whose file is in the bucket. */
export interface UploadedFile extends VersionRef {
  readonly tenantId: string;
}

function toObject({ tenantId, collection_id, id, version }: UploadedFile): ObjectRef {
  const key = [encodeURIComponent(tenantId), collection_id, id, version].join("/");
  return { bucket: env("UPLOAD_BUCKET").UPLOAD_BUCKET, key };
}

/** Parses an object key; null for a key that no upload creates. */
export function parseDocumentKey(key: string): UploadedFile | null {
  const [tenant = "", collection_id = "", id = "", version = "", ...rest] = key.split("/");
  if (tenant === "" || id === "" || rest.length > 0 || !/^\d{1,9}$/.test(version)) return null;
  return { tenantId: decodeURIComponent(tenant), collection_id, id, version: Number(version) };
}

const toFile = ({ tenantId }: TenantScope, { collection_id, id }: DocumentRef, version: number): UploadedFile => ({
  tenantId,
  collection_id,
  id,
  version,
});

/**
 * Stores the file of a document version. The new object starts `functions/jobs/process-file.ts` through the queue in
 * `infra/stacks/files-stack.ts`.
 */
export async function storeFile(scope: TenantScope, ref: VersionRef, content: Uint8Array): Promise<void> {
  await putObject(toObject(toFile(scope, ref, ref.version)), content);
}

/**
 * Returns the presigned request with which a client uploads the file of a document version. Like `storeFile`, the upload
 * starts `functions/jobs/process-file.ts`.
 * @param size exact size of the file in bytes
 */
export function createUploadRequest(scope: TenantScope, ref: VersionRef, size: number) {
  const headers = { "content-length": String(size) };
  const url = presignUrl("PUT", toObject(toFile(scope, ref, ref.version)), UPLOAD_SECONDS, { headers });
  return {
    method: "PUT" as const,
    url,
    headers,
    expires_at: new Date(now() + UPLOAD_SECONDS * 1_000).toISOString(),
  };
}

/** Returns the content of a file; undefined if it was not uploaded. */
export const findFile = (file: UploadedFile, maxBytes: number): Promise<Buffer | undefined> =>
  findObject(toObject(file), maxBytes);

export const deleteFile = (file: UploadedFile): Promise<void> => deleteObject(toObject(file));

export const toMediaType = (type: keyof typeof documentTypes) => documentTypes[type].mediaType;
