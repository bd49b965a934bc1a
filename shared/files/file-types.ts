import { documentTypes } from "../api/knowledge/document-types.ts";

export type DocumentType = keyof typeof documentTypes;

/** Formats that are ZIP archives: Office documents and e-books. */
type ArchiveType = "docx" | "pptx" | "xlsx" | "odt" | "ods" | "odp" | "epub";

/** Kind of content that the first bytes of a file indicate. */
type DetectedContent = "pdf" | "zip" | "ole" | "rtf" | "binary" | "text";

const startsWith = (file: Uint8Array, bytes: readonly number[], offset = 0) =>
  bytes.every((byte, index) => file[offset + index] === byte);

/** Signatures of common binary formats that cannot be indexed: PNG, JPEG, GIF, RIFF, gzip, 7-Zip, RAR, ELF and `MZ`. */
const binarySignatures: readonly (readonly number[])[] = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
  [0x52, 0x49, 0x46, 0x46],
  [0x1f, 0x8b],
  [0x37, 0x7a, 0xbc, 0xaf],
  [0x52, 0x61, 0x72, 0x21],
  [0x7f, 0x45, 0x4c, 0x46],
  [0x4d, 0x5a, 0x90, 0x00],
];

/** Maximum offset of the header of a PDF file, in bytes. Other data may precede it. */
const PDF_HEADER_RANGE = 1_024;

/** Detects the kind of content of a file from its first bytes. Unknown content counts as text. */
export function detectContent(file: Uint8Array): DetectedContent {
  if (startsWith(file, [0x50, 0x4b, 0x03, 0x04]) || startsWith(file, [0x50, 0x4b, 0x05, 0x06])) return "zip";
  if (startsWith(file, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])) return "ole";
  const start = new TextDecoder("latin1").decode(file.subarray(0, PDF_HEADER_RANGE));
  if (start.includes("%PDF-")) return "pdf";
  if (start.startsWith("{\\rtf")) return "rtf";
  return binarySignatures.some((signature) => startsWith(file, signature)) ? "binary" : "text";
}

/** Detects the format of an archive from the names of its entries; null for other archives. */
export function detectArchive(names: readonly string[]): ArchiveType | null {
  const has = (prefix: string) => names.some((name) => name.startsWith(prefix));
  if (names.includes("META-INF/container.xml")) return "epub";
  if (!names.includes("[Content_Types].xml")) return null;
  if (has("word/")) return "docx";
  if (has("ppt/")) return "pptx";
  return has("xl/") ? "xlsx" : null;
}

/**
 * Returns the format of a file by its extension, or by its media type if the name has no extension; null if the format
 * is not supported.
 */
export function findDocumentType(fileName: string, mediaType = ""): DocumentType | null {
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase();
  const essence = mediaType.split(";")[0]?.trim().toLowerCase();
  const entries = Object.entries(documentTypes) as [DocumentType, (typeof documentTypes)[DocumentType]][];
  const matches = ([, type]: (typeof entries)[number]) =>
    extension === undefined ? type.mediaType === essence : (type.extensions as readonly string[]).includes(extension);
  return entries.find(matches)?.[0] ?? null;
}
