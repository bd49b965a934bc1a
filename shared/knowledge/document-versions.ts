import { allOf, equals, notDeleted, type Write } from "../dynamodb/table.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";
import { storageWrite } from "../tenancy/storage-store.ts";
import { type DocumentSource, sourceWrites, toSourceBytes } from "./document-source-store.ts";
import { pendingState, type StoredDocument, toDocumentKey, type VersionFields } from "./document-store.ts";
import { notStaged } from "./staged.ts";

/**
 * Returns a document with a new version that is not indexed yet. Searches find the previous version until the new one
 * is indexed.
 */
export function withNewVersion(document: StoredDocument, fields: VersionFields): StoredDocument {
  const { attempts: _, awaits_file: __, ...others } = document;
  const version = document.version + 1;
  return { ...others, ...fields, ...pendingState, version, source_bytes: fields.size, updated_at: timestamp() };
}

/**
 * Returns the writes that store a new version of a document. They must be one transaction, which throws ServiceError
 * `not_found` if the document is deleted, `conflict` if another version was stored concurrently, and `storage_full` if
 * a limit of the tenant is exceeded.
 * @param previous document as it is stored
 * @param source text of the version; null if its file is read later
 * @param staged sync with which the version becomes visible; without one, the document must not be staged
 */
export async function newVersionWrites(
  scope: TenantScope,
  previous: StoredDocument,
  document: StoredDocument,
  source: DocumentSource | null,
  staged?: Pick<StoredDocument, "staged_in" | "staged_changes">,
): Promise<Write[]> {
  const { title, media_type, uri, metadata, file_name, size, version, updated_at } = document;
  const set = { title, media_type, uri, metadata, file_name, size, version, updated_at, ...pendingState };
  return [
    await storageWrite(scope, { documents: 0, bytes: document.size - previous.size }),
    {
      update: toDocumentKey(scope, document),
      set: {
        ...set,
        source_bytes: source ? toSourceBytes(source) : size,
        timestamp: now(),
        ...(source === null && { awaits_file: true }),
        ...staged,
      },
      remove: ["attempts", ...(source ? ["awaits_file"] : [])],
      condition: allOf([notDeleted(), equals({ version: version - 1 }), ...(staged ? [] : [notStaged])], (existing) =>
        !existing || existing.deleted ? notFound() : changedConcurrently("The document"),
      ),
    },
    ...(source ? sourceWrites(scope, document.id, version, source) : []),
  ];
}
