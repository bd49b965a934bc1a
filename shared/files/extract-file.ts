import { decodeHtml, decodeText } from "./decode-text.ts";
import { extractCsv } from "./extract-csv.ts";
import { extractEmail } from "./extract-email.ts";
import { extractEpub } from "./extract-epub.ts";
import { extractOdf } from "./extract-odf.ts";
import { extractRtf } from "./extract-rtf.ts";
import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError } from "./extraction-error.ts";
import { MAX_EXTRACTED_TEXT_LENGTH } from "./extraction-limits.ts";
import { type DocumentType, detectArchive, detectContent } from "./file-types.ts";
import { detectOfficeType } from "./office/detect-office-type.ts";
import { extractDocx } from "./office/extract-docx.ts";
import { extractPptx } from "./office/extract-pptx.ts";
import { extractXlsx } from "./office/extract-xlsx.ts";
import { extractPdf } from "./pdf/extract-pdf.ts";
import { toHtmlSegments } from "./segments/html-segments.ts";
import { toMarkdownSegments } from "./segments/markdown-segments.ts";
import { type Segment, toPlainSegments } from "./segments/segments.ts";
import { toTextLength } from "./text-length.ts";
import { ZipArchive } from "./zip-archive.ts";

const archiveExtractors = {
  docx: extractDocx,
  pptx: extractPptx,
  xlsx: extractXlsx,
  odt: (archive: ZipArchive) => extractOdf(archive, "odt"),
  ods: (archive: ZipArchive) => extractOdf(archive, "ods"),
  odp: (archive: ZipArchive) => extractOdf(archive, "odp"),
  epub: extractEpub,
} as const;

const isArchiveType = (type: DocumentType): type is keyof typeof archiveExtractors => type in archiveExtractors;

const withSegments = (segments: readonly Segment[]): ExtractedFile => ({ segments, pageCount: null });

/** Extractors of text formats. Line ends become line feeds. */
const textExtractors = {
  text: (file: Uint8Array) => withSegments(toPlainSegments(toLineFeeds(decodeText(file)))),
  markdown: (file: Uint8Array) => withSegments(toMarkdownSegments(toLineFeeds(decodeText(file)))),
  html: (file: Uint8Array) => withSegments(toHtmlSegments(toLineFeeds(decodeHtml(file)))),
  csv: (file: Uint8Array) => extractCsv(decodeText(file)),
  email: (file: Uint8Array) => extractEmail(file, "email", extractByType),
} as const;

const toLineFeeds = (text: string) => text.replace(/\r\n?/g, "\n");

async function extractArchive(file: Uint8Array, type: DocumentType): Promise<ExtractedFile> {
  const archive = await ZipArchive.open(file);
  const detected = detectArchive(archive.names) ?? (await detectOfficeType(archive));
  if (detected !== type) throw new ExtractionError(isArchiveType(type) && !detected ? "corrupt" : "mislabeled");
  return archiveExtractors[detected](archive);
}

/** Returns true if a file is readable text, and not a damaged file of another format. */
function isText(file: Uint8Array): boolean {
  try {
    return decodeText(file) !== "";
  } catch {
    return false;
  }
}

/**
 * Extracts a file with the extractor for its declared format.
 * @throws ExtractionError, `mislabeled` if the content has another format
 */
async function extractByType(file: Uint8Array, type: DocumentType): Promise<ExtractedFile> {
  const content = detectContent(file);
  if (content === "zip") return extractArchive(file, type);
  if (content === "ole" && type === "msg") return extractEmail(file, "msg", extractByType);
  if (content === "rtf" && type === "rtf") return extractRtf(file);
  if (content === "ole") {
    // Office programs store an encrypted file in this format, and old programs every file.
    const isEncrypted = Buffer.from(file).includes(Buffer.from("EncryptedPackage", "utf16le"));
    throw new ExtractionError(isEncrypted ? "encrypted" : isArchiveType(type) ? "mislabeled" : "unsupported");
  }
  if (content === "pdf" && type === "pdf") return extractPdf(file);
  if (content !== "text" && content !== "pdf") throw new ExtractionError("mislabeled");
  if (type === "pdf" || type === "rtf" || type === "msg" || isArchiveType(type))
    throw new ExtractionError(content === "pdf" || isText(file) ? "mislabeled" : "corrupt");
  if (content === "pdf" && type !== "email") throw new ExtractionError("mislabeled");
  return textExtractors[type](file);
}

/**
 * Extracts the text of a file with its structure and page numbers.
 * @param type format according to the file name; a file with other content is rejected
 * @throws ExtractionError whose message is shown to the user
 */
export async function extractFile(file: Uint8Array, type: DocumentType): Promise<ExtractedFile> {
  if (file.length === 0) throw new ExtractionError("empty");
  const extracted = await extractByType(file, type);
  const length = toTextLength(extracted.segments);
  if (length > MAX_EXTRACTED_TEXT_LENGTH) throw new ExtractionError("too_large");
  if (length === 0) throw new ExtractionError("empty");
  return extracted;
}
