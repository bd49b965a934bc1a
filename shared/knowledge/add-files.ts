import * as v from "valibot";
import { FormFields } from "../api/knowledge/document-fields.ts";
import type { FileResult } from "../api/knowledge/documents.ts";
import { extractionFailures } from "../api/knowledge/extraction-failures.ts";
import { MAX_FORM_FILE_BYTES, MAX_UPLOAD_BYTES, MEBIBYTE } from "../api/limits.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { findDocumentType } from "../files/file-types.ts";
import { invalidField, invalidFields } from "../lib/errors.ts";
import { fieldErrors } from "../lib/field-errors.ts";
import { newDocument, type StoredDocument, type VersionFields } from "./document-store.ts";
import { requireKnownReaders } from "./readers/check-readers.ts";
import { storeFile, toMediaType } from "./upload-store.ts";

/** File that was submitted with a form. */
interface SubmittedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
  readonly isTruncated: boolean;
}

/** Form whose files become documents, with fields that apply to all of them. */
interface DocumentForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly SubmittedFile[];
}

/** Reason why a file cannot become a document. */
type Refusal = NonNullable<FileResult["error"]>;

const MAX_TITLE_LENGTH = 300;

/** Returns a title for a file: its name without the extension. */
export function toTitle(fileName: string): string {
  const title = fileName.replace(/\.[a-z0-9]{1,8}$/i, "").trim() || fileName;
  return truncateTitle(title);
}

export const truncateTitle = (title: string): string => [...title].slice(0, MAX_TITLE_LENGTH).join("");

/**
 * Parses the fields of a form.
 * @throws ServiceError `validation_failed` for invalid fields or a form without files
 */
export function parseForm({ fields, files }: DocumentForm) {
  const parsed = v.safeParse(FormFields, fields);
  if (!parsed.success) throw invalidFields(fieldErrors(parsed.issues, "body"));
  if (files.length > 0) return parsed.output;
  throw invalidField("file", "required", "must contain at least one file");
}

/**
 * Requires that a request for a new version names no readers, which the document has already.
 * @throws ServiceError `validation_failed`
 */
export function refuseReaders(readers: readonly string[] | null | undefined): void {
  if (readers === undefined) return;
  const message = "are those of the document already; change them with PATCH …/documents/{document_id}";
  throw invalidField("readers", "unknown_field", message);
}

/** Returns the reason why a file cannot become a document; null if it can. */
export function findRefusal({ name, mediaType, content, isTruncated }: SubmittedFile): Refusal | null {
  if (isTruncated) {
    const limit = `The file has more than ${MAX_FORM_FILE_BYTES.toLocaleString("en")} bytes.`;
    const other = `Upload it with POST …/uploads, which accepts up to ${MAX_UPLOAD_BYTES / MEBIBYTE} MiB.`;
    return { code: "too_large", message: `${limit} ${other}` };
  }
  if (content.length === 0) return { code: "empty", message: extractionFailures.empty };
  if (findDocumentType(name, mediaType)) return null;
  return { code: "unsupported", message: extractionFailures.unsupported };
}

/** Returns the fields of a document version for a file. A title in the form takes precedence over the file name. */
export function toFileFields(
  { name, mediaType, content }: SubmittedFile,
  { title, uri, metadata }: Omit<ReturnType<typeof parseForm>, "readers">,
): VersionFields {
  return {
    title: title ?? toTitle(name),
    uri: uri ?? null,
    metadata: metadata ?? {},
    file_name: name,
    media_type: toMediaType(findDocumentType(name, mediaType) ?? "text"),
    size: content.length,
  };
}

/** Result for each file of a form, and the new documents, which the caller must store. */
interface AddedFiles {
  readonly results: FileResult[];
  readonly documents: readonly StoredDocument[];
}

/**
 * Stores the files of a form and returns a new document for each. The caller stores the documents afterwards, so that a
 * stored document never waits for a file that does not exist. Files that cannot become documents are reported in the
 * results.
 * @throws ServiceError `validation_failed` for an invalid form
 */
export async function storeFiles(
  scope: TenantScope,
  collectionId: string,
  authorId: string,
  form: DocumentForm,
): Promise<AddedFiles> {
  const fields = parseForm(form);
  await requireKnownReaders(scope, fields.readers);
  const results = await Promise.all(
    form.files.map(async (file): Promise<FileResult & { document: StoredDocument | null }> => {
      const error = findRefusal(file);
      if (error) return { file_name: file.name, document: null, error };
      const document = newDocument(collectionId, authorId, {
        ...toFileFields(file, fields),
        source: null,
        readers: fields.readers ?? null,
      });
      await storeFile(scope, document, file.content);
      return { file_name: file.name, document, error: null };
    }),
  );
  return { results, documents: results.flatMap(({ document }) => document ?? []) };
}
