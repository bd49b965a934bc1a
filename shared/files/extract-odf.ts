import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError } from "./extraction-error.ts";
import { MAX_EXTRACTED_TEXT_LENGTH, MAX_PAGES } from "./extraction-limits.ts";
import type { Segment } from "./segments/segments.ts";
import { walkXml, type XmlAttributes } from "./walk-xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** Maximum number of cells per row, because a file can declare a cell as repeated a million times. */
const MAX_COLUMNS = 256;

/** Elements whose content is not part of the text, such as deleted text, comments and note numbers. */
const ignoredElements: ReadonlySet<string> = new Set([
  "tracked-changes",
  "annotation",
  "note-citation",
  "ruby-text",
  "title",
  "desc",
  "forms",
  "scripts",
]);

const toCount = (value: string | undefined) => Math.min(MAX_COLUMNS, Math.max(1, Number(value) || 1));

/** Paragraph or heading that is being read. Text boxes can nest them. */
interface Paragraph {
  text: string;
  readonly level: number;
  /** Page on which the paragraph starts. */
  page: number;
  /** Positions in the text at which the following pages start. */
  readonly pageBreaks: number[];
}

const toLineText = (text: string) => text.replace(/[^\S\n\t]+/g, " ").trimStart();

/** Collects the paragraphs and tables of the content of an OpenDocument file. */
class ContentCollector {
  readonly segments: Segment[] = [];
  /** Number of the current page or slide, from 1; 0 before the first slide. */
  page: number;
  readonly #hasSlides: boolean;
  readonly #hasSheets: boolean;
  #ignoredDepth = 0;
  readonly #paragraphs: Paragraph[] = [];
  #listDepth = 0;
  #isTitle = false;
  /** Rows of the current outermost table. The text of a nested table becomes part of its cell. */
  #rows: string[][] = [];
  #row: string[] = [];
  #cell = "";
  #cellCount = 1;
  #tableDepth = 0;
  #length = 0;

  constructor(kind: OdfKind) {
    this.#hasSlides = kind === "odp";
    this.#hasSheets = kind === "ods";
    this.page = this.#hasSlides ? 0 : 1;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#ignoredDepth > 0 || ignoredElements.has(name)) {
      this.#ignoredDepth++;
      return;
    }
    if (name === "h") this.#openParagraph(Math.min(6, toCount(attributes["outline-level"])));
    else if (name === "p") this.#openParagraph(this.#isTitle ? 2 : 0);
    else if (name === "s") this.addText(" ");
    else if (name === "tab") this.addText("\t");
    else if (name === "line-break") this.addText("\n");
    else if (name === "list") this.#listDepth++;
    else if (name === "frame") this.#isTitle = this.#hasSlides && attributes.class === "title";
    else if (name === "soft-page-break" && !this.#hasSlides) this.#startPage();
    else if (name === "page" && this.#hasSlides) this.#startPage();
    else if (name === "table") this.#openTable(attributes.name ?? "");
    else if (name === "table-row" && this.#tableDepth === 1) this.#row = [];
    else if ((name === "table-cell" || name === "covered-table-cell") && this.#tableDepth === 1) {
      this.#cell = "";
      this.#cellCount = toCount(attributes["number-columns-repeated"]);
    }
  }

  close(name: string): void {
    if (this.#ignoredDepth > 0) this.#ignoredDepth--;
    else if (name === "p" || name === "h") this.#closeParagraph();
    else if (name === "list") this.#listDepth--;
    else if (name === "frame") this.#isTitle = false;
    else if (name === "table") this.#closeTable();
    else if (name === "table-row" && this.#tableDepth === 1) this.#closeRow();
    else if ((name === "table-cell" || name === "covered-table-cell") && this.#tableDepth === 1) this.#closeCell();
  }

  addText(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph && this.#ignoredDepth === 0) paragraph.text += text;
  }

  #startPage(): void {
    this.page++;
    if (this.page > MAX_PAGES) throw new ExtractionError("too_many_pages");
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph?.text.trim() === "") paragraph.page = this.page;
    else paragraph?.pageBreaks.push(paragraph.text.length);
  }

  #openParagraph(level: number): void {
    this.#paragraphs.push({ text: "", level, page: this.page, pageBreaks: [] });
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    const text = toLineText(paragraph?.text ?? "").trimEnd();
    if (!paragraph || text === "") return;
    const { level, page, text: raw } = paragraph;
    if (this.#tableDepth > 0) this.#cell += this.#cell === "" ? text : `\n${text}`;
    else if (level > 0) this.segments.push({ kind: "heading", level, title: text, text, page });
    else {
      const marker = this.#listDepth > 0 && !this.#hasSlides ? "- " : "";
      const pageBreaks = paragraph.pageBreaks.map((end) => marker.length + toLineText(raw.slice(0, end)).length);
      this.segments.push({ kind: "text", text: marker + text, page, ...(pageBreaks.length > 0 && { pageBreaks }) });
    }
  }

  #openTable(name: string): void {
    this.#tableDepth++;
    if (this.#tableDepth > 1) return;
    this.#rows = [];
    if (this.#hasSheets && name) this.segments.push({ kind: "heading", level: 1, title: name, text: name });
  }

  #closeCell(): void {
    for (let count = this.#cellCount; count > 0 && this.#row.length < MAX_COLUMNS; count--) {
      this.#row.push(this.#cell);
      this.#length += this.#cell.length + 1;
    }
    if (this.#length > MAX_EXTRACTED_TEXT_LENGTH) throw new ExtractionError("too_large");
    this.#cell = "";
  }

  #closeRow(): void {
    const end = this.#row.findLastIndex((cell) => cell !== "") + 1;
    this.#length -= this.#row.length - end;
    if (end > 0) this.#rows.push(this.#row.slice(0, end));
    this.#row = [];
  }

  #closeTable(): void {
    this.#tableDepth--;
    if (this.#tableDepth > 0 || this.#rows.length === 0) return;
    this.segments.push({ kind: "table", rows: this.#rows, page: this.page });
  }
}

export type OdfKind = "odt" | "ods" | "odp";

/**
 * Extracts headings, paragraphs, lists and tables of an OpenDocument text, spreadsheet or presentation. Each sheet is a
 * heading and a table; the page of a segment is that of the text or the slide.
 */
export async function extractOdf(archive: ZipArchive, kind: OdfKind): Promise<ExtractedFile> {
  const manifest = (await archive.findText("META-INF/manifest.xml")) ?? "";
  if (manifest.includes("encryption-data")) throw new ExtractionError("encrypted");
  const collector = new ContentCollector(kind);
  walkXml(await archive.getText("content.xml"), {
    open: (name, attributes) => collector.open(name, attributes),
    close: (name) => collector.close(name),
    text: (text) => collector.addText(text.replace(/\s+/g, " ")),
  });
  const { segments, page } = collector;
  if (kind === "odp" || (kind === "odt" && page > 1)) return { segments, pageCount: page };
  return { segments: segments.map((segment) => ({ ...segment, page: undefined })), pageCount: null };
}
