import { allOf, notDeleted, type Write } from "../dynamodb/table.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";
import { storageWrite } from "../tenancy/storage-store.ts";
import { type DocumentSource, sourceWrites, toSourceBytes } from "./document-source-store.ts";
import { pendingState, type StoredDocument, toDocumentKey, type VersionFields } from "./document-store.ts";
import { hasVersion, toUpgradeChanges } from "./upgrade-document.ts";

/**
 * Returns a document with a new version that is not indexed yet; searches find the previous one until then.
 */
export function withNewVersion(document: StoredDocument, fields: VersionFields): StoredDocument {
  const { attempts: _, awaits_file: __, ...others } = document;
  const version = document.version + 1;
  return { ...others, ...fields, ...pendingState, version, source_bytes: fields.size, updated_at: timestamp() };
}

/**
 * Returns the writes that store a new version of a document. They must be one transaction, which throws ServiceError
 * `not_found` if the document is deleted, `conflict` if it got another version, and `storage_full` if it exceeds a limit.
 * @param previous the document as it is in the table
 * @param source text of the version, or null if a file is uploaded and read later
 */
export async function newVersionWrites(
  scope: TenantScope,
  previous: StoredDocument,
  document: StoredDocument,
  source: DocumentSource | null,
): Promise<Write[]> {
  const { title, media_type, uri, metadata, file_name, size, version, updated_at } = document;
  const set = { title, media_type, uri, metadata, file_name, size, version, updated_at, ...pendingState };
  const { is_metered } = previous;
  return [
    await storageWrite(scope, {
      documents: is_metered ? 0 : 1,
      bytes: document.size - (is_metered ? previous.size : 0),
    }),
    {
      update: toDocumentKey(scope, document),
      set: {
        is_metered: true,
        ...toUpgradeChanges(document),
        ...set,
        source_bytes: source ? toSourceBytes(source) : size,
        timestamp: now(),
        ...(source === null && { awaits_file: true }),
      },
      remove: ["attempts", ...(source ? ["awaits_file"] : [])],
      condition: allOf([notDeleted(), hasVersion(document, version - 1)], (existing) =>
        !existing || existing.deleted ? notFound() : changedConcurrently("The document"),
      ),
    },
    ...(source ? sourceWrites(scope, document.id, version, source) : []),
  ];
}
