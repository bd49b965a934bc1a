import { getDocumentProxy } from "unpdf";
import type { ExtractedFile } from "../extracted-file.ts";
import { ExtractionError } from "../extraction-error.ts";
import { MAX_EXTRACTED_TEXT_LENGTH, MAX_PAGES } from "../extraction-limits.ts";
import { type Line, type TextItem, toLines } from "./pdf-lines.ts";
import { toPdfSegments } from "./pdf-segments.ts";
import { findTitle } from "./pdf-title.ts";
import { escapeTableWords } from "./repair-pdf.ts";

/** Maximum number of text items per page. Most items are words or lines. */
const MAX_PAGE_ITEMS = 500_000;

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<PdfDocument["getPage"]>>;

/** Gives pdf.js the predefined character maps. It asks for no other data. */
class CharacterMapFactory {
  async fetch({ filename }: { readonly filename: string }): Promise<Uint8Array> {
    const { characterMaps } = await import("./character-maps.ts");
    const map = characterMaps[filename];
    if (map === undefined) throw new Error(`There is no character map ${filename}`);
    return new Uint8Array(Buffer.from(map, "base64"));
  }
}

/**
 * Opens a PDF document without evaluating scripts, forms or external references.
 * @throws ExtractionError `encrypted` or `corrupt`
 */
async function openDocument(file: Uint8Array): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(new Uint8Array(file), {
      isEvalSupported: false,
      enableXfa: false,
      useSystemFonts: false,
      disableFontFace: true,
      stopAtErrors: false,
      maxImageSize: 0,
      useWorkerFetch: false,
      BinaryDataFactory: CharacterMapFactory,
      verbosity: 0,
    });
  } catch (error) {
    throw new ExtractionError((error as Error).name === "PasswordException" ? "encrypted" : "corrupt");
  }
}

/**
 * Returns the text items of a page.
 * @throws ExtractionError `too_large`
 */
async function readItems(page: Page): Promise<TextItem[]> {
  const items: TextItem[] = [];
  let length = 0;
  const reader = page.streamTextContent().getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    for (const item of chunk.value.items as (TextItem | { readonly type: string })[]) {
      if (!("str" in item)) continue;
      items.push(item);
      length += item.str.length;
    }
    if (length > MAX_EXTRACTED_TEXT_LENGTH || items.length > MAX_PAGE_ITEMS) throw new ExtractionError("too_large");
  }
  return items;
}

/** Lines of a document, and the number of pages without readable text. */
interface Content {
  readonly document: PdfDocument;
  readonly lines: readonly Line[];
  readonly emptyPages: number;
}

/**
 * Reads the lines of all pages. Damaged pages are skipped.
 * @throws ExtractionError `corrupt` if all pages are damaged, and others
 */
async function readContent(file: Uint8Array): Promise<Content> {
  const document = await openDocument(file);
  if (document.numPages > MAX_PAGES) throw new ExtractionError("too_many_pages");
  const lines: Line[] = [];
  let length = 0;
  let emptyPages = 0;
  let unreadablePages = 0;
  for (let number = 1; number <= document.numPages; number++) {
    try {
      const page = await document.getPage(number);
      const pageLines = toLines(await readItems(page), number);
      if (pageLines.length === 0) emptyPages++;
      for (const line of pageLines) {
        length += line.text.length;
        lines.push(line);
      }
      page.cleanup();
    } catch (error) {
      if (error instanceof ExtractionError) throw error;
      // A damaged page does not make the others unreadable.
      unreadablePages++;
    }
    if (length > MAX_EXTRACTED_TEXT_LENGTH) throw new ExtractionError("too_large");
  }
  if (unreadablePages === document.numPages) throw new ExtractionError("corrupt");
  return { document, lines, emptyPages: emptyPages + unreadablePages };
}

/**
 * Reads a document. If it is corrupt or has pages without text, it is read again with escaped table words
 * (`escapeTableWords`), and the result with more pages is returned.
 */
async function readRepaired(file: Uint8Array): Promise<Content> {
  const content = await readContent(file).catch((error: unknown) => error as ExtractionError);
  const isComplete = content instanceof Error ? content.code !== "corrupt" : content.emptyPages === 0;
  const escaped = isComplete ? null : escapeTableWords(file);
  const repaired = escaped && (await readContent(escaped).catch(() => null));
  if (repaired && (content instanceof Error || repaired.emptyPages < content.emptyPages)) return repaired;
  if (content instanceof Error) throw content;
  return content;
}

/** Returns true if a file contains images. Their dictionaries are not compressed, so they can be searched as text. */
const hasImages = (file: Uint8Array): boolean =>
  /\/Subtype\s{0,9}\/Image\b/.test(Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString("latin1"));

/**
 * Extracts headings, tables and paragraphs of a PDF file with their page numbers, and its title.
 * @throws ExtractionError `scanned_only` if pages contain only images, and others
 */
export async function extractPdf(file: Uint8Array): Promise<ExtractedFile> {
  const { document, lines } = await readRepaired(file);
  if (lines.length === 0) throw new ExtractionError(hasImages(file) ? "scanned_only" : "empty");
  const metadata = await document.getMetadata().catch(() => null);
  const title = findTitle((metadata?.info as { Title?: unknown } | undefined)?.Title, lines);
  return { segments: toPdfSegments(lines), pageCount: document.numPages, ...(title && { title }) };
}
