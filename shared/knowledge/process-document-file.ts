import { setTimeout as sleep } from "node:timers/promises";
import { documentTypes } from "../api/knowledge/document-types.ts";
import { MAX_UPLOAD_BYTES } from "../api/limits.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { extractInProcess } from "../files/extract-in-process.ts";
import { ExtractionError } from "../files/extraction-error.ts";
import type { DocumentType } from "../files/file-types.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { toTitle, truncateTitle } from "./add-files.ts";
import { sourceWrites, toSourceBytes } from "./document-source-store.ts";
import { type FailureCode, failureWrite, pendingWrite } from "./document-state.ts";
import { findDocuments, type StoredDocument } from "./document-store.ts";
import { deleteFile, findFile, type UploadedFile } from "./upload-store.ts";

/** Maximum number of attempts to process a file. A file that crashes the function this often is marked as failed. */
const MAX_ATTEMPTS = 3;

/** Maximum number of reads of a document that is not stored yet, because its file is stored first. */
const MAX_LOOKUPS = 5;
const LOOKUP_DELAY_MS = 500;

/** Maximum compressed size of the text of a version, so that it fits into one transaction of 4 MB. */
const MAX_COMPRESSED_BYTES = 3_300_000;

/** Returns true if a write failed because the version was replaced, finished or deleted. */
const isOutdated = (error: unknown) => error instanceof ServiceError && error.code === "not_found";

/**
 * Returns the document of a file if it waits for this file; undefined otherwise. Waits a moment for a document that is
 * not stored yet.
 */
async function findWaiting(scope: TenantScope, file: UploadedFile): Promise<StoredDocument | undefined> {
  for (let lookup = 1; ; lookup++) {
    const [document] = await findDocuments(scope, [file]);
    // A document with an older version is about to get this one.
    const isExpected = document === undefined || document.version < file.version;
    if (isExpected && lookup < MAX_LOOKUPS) {
      await sleep(LOOKUP_DELAY_MS);
      continue;
    }
    const isWaiting = document?.awaits_file && document.version === file.version && !document.deleted;
    return isWaiting && document.status === "indexing" ? document : undefined;
  }
}

function toType({ media_type }: StoredDocument): DocumentType {
  const entries = Object.entries(documentTypes) as [DocumentType, { mediaType: string }][];
  return entries.find(([, { mediaType }]) => mediaType === media_type)?.[0] ?? "text";
}

/**
 * Extracts the text of a file and stores its segments and the new state of the document in one transaction, upon which
 * the document is indexed.
 */
async function extract(scope: TenantScope, document: StoredDocument, content: Uint8Array): Promise<void> {
  const { segments, pageCount, title } = await extractInProcess(content, toType(document));
  const source = { format: "segments", segments } as const;
  const writes = sourceWrites(scope, document.id, document.version, source);
  const compressedBytes = writes.reduce(
    (sum, write) => sum + ("put" in write ? (write.put.text as Buffer).length : 0),
    0,
  );
  if (compressedBytes > MAX_COMPRESSED_BYTES) throw new ExtractionError("too_large");
  const hasTitleOfFile = document.file_name !== null && document.title === toTitle(document.file_name ?? "");
  const state = {
    stage: "queued",
    progress: 0.4,
    page_count: pageCount,
    source_bytes: toSourceBytes(source),
    ...(title && hasTitleOfFile && { title: truncateTitle(title) }),
  } as const;
  await tenantTable(scope).transact([pendingWrite(scope, document, state, ["awaits_file"]), ...writes]);
}

async function fail(scope: TenantScope, document: StoredDocument, code: FailureCode): Promise<void> {
  await tenantTable(scope).write(failureWrite(scope, document, code));
}

/**
 * Processes the file of a document. A file that is missing, cannot be read or has crashed the function too often marks
 * the document as failed.
 */
async function processWaiting(scope: TenantScope, file: UploadedFile, document: StoredDocument): Promise<void> {
  const { attempts = 0 } = document;
  if (attempts >= MAX_ATTEMPTS) return fail(scope, document, "processing_failed");
  const content = await findFile(file, MAX_UPLOAD_BYTES);
  if (!content) return fail(scope, document, "upload_missing");
  const state = { stage: "extracting", progress: 0.1, attempts: attempts + 1 } as const;
  await tenantTable(scope).write(pendingWrite(scope, document, state));
  try {
    await extract(scope, document, content);
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error;
    await fail(scope, document, error.code);
  }
}

/**
 * Extracts the text of an uploaded file, upon which its document is indexed, and deletes the file. Idempotent: a file
 * that was read before or whose document is gone is only deleted.
 */
export async function processDocumentFile(file: UploadedFile): Promise<void> {
  const scope: TenantScope = { tenantId: file.tenantId };
  const document = await findWaiting(scope, file);
  try {
    if (document) await processWaiting(scope, file, document);
  } catch (error) {
    if (!isOutdated(error)) throw error;
    log.info("file processing superseded", { document_id: file.id });
  }
  await deleteFile(file);
}
