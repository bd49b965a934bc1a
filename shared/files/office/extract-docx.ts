import type { ExtractedFile } from "../extracted-file.ts";
import { ExtractionError } from "../extraction-error.ts";
import { MAX_PAGES } from "../extraction-limits.ts";
import type { Segment } from "../segments/segments.ts";
import { toSuperscript } from "../superscript.ts";
import { walkXml, type XmlAttributes } from "../walk-xml.ts";
import type { ZipArchive } from "../zip-archive.ts";
import { findMainPart } from "./detect-office-type.ts";

/** Returns the outline levels of the heading styles, from 1, by style id. */
function parseHeadingStyles(xml: string | undefined): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  let style = "";
  walkXml(xml ?? "", {
    open(name, { styleId = "", val = "" }) {
      if (name === "style") style = styleId;
      const heading = name === "name" ? /^heading ([1-9])$/i.exec(val)?.[1] : undefined;
      if (heading) levels.set(style, Number(heading));
      else if (name === "name" && /^title$/i.test(val)) levels.set(style, 1);
      else if (name === "outlineLvl" && /^[0-8]$/.test(val) && !levels.has(style)) levels.set(style, Number(val) + 1);
    },
  });
  return levels;
}

/** Elements whose content is not part of the text. `Fallback` repeats the content of the preferred alternative. */
const ignoredElements: ReadonlySet<string> = new Set(["Fallback", "instrText", "delText", "pict", "sectPr"]);

/** Collects paragraphs and tables of a WordprocessingML part. */
class DocumentCollector {
  readonly segments: Segment[] = [];
  readonly #headingLevels: ReadonlyMap<string, number>;
  /**
   * True if rendered page breaks are counted instead of explicit ones. Programs that record rendered page breaks record
   * explicit ones as well.
   */
  readonly #usesRenderedBreaks: boolean;
  page = 1;
  #ignoredDepth = 0;
  #text = "";
  #isInText = false;
  /** Formatting of the current run; null outside of runs. */
  #run: { isHidden: boolean; isRaised: boolean } | null = null;
  #level = 0;
  #isListItem = false;
  #paragraphPage = 1;
  /** Positions in the paragraph at which the following pages start. */
  #pageBreaks: number[] = [];
  /**
   * Rows of the current outermost table; null outside of tables. The text of a nested table becomes part of its cell.
   */
  #rows: string[][] | null = null;
  #tableDepth = 0;
  #rowPages: number[] = [];

  constructor(headingLevels: ReadonlyMap<string, number>, usesRenderedBreaks: boolean) {
    this.#headingLevels = headingLevels;
    this.#usesRenderedBreaks = usesRenderedBreaks;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#ignoredDepth > 0 || ignoredElements.has(name)) {
      this.#ignoredDepth++;
      return;
    }
    const { val = "", type } = attributes;
    if (name === "p" && this.#tableDepth === 0) this.#startParagraph();
    else if (name === "r") this.#run = { isHidden: false, isRaised: false };
    else if (name === "vanish" && this.#run) this.#run.isHidden = !["0", "false", "off"].includes(val);
    else if (name === "vertAlign" && this.#run) this.#run.isRaised = val === "superscript";
    else if (name === "t") this.#isInText = true;
    else if (name === "tab") this.#text += "\t";
    else if (name === "cr" || (name === "br" && type !== "page")) this.#text += "\n";
    else if (name === "noBreakHyphen") this.#text += "-";
    else if (name === "pStyle") this.#level = this.#headingLevels.get(val) ?? this.#level;
    else if (name === "outlineLvl" && /^[0-8]$/.test(val)) this.#level = Number(val) + 1;
    else if (name === "numPr") this.#isListItem = true;
    else if (name === "tbl") this.#openTable();
    else if (name === "tr" && this.#tableDepth === 1) this.#openRow();
    else if (name === "tc" && this.#tableDepth === 1) this.#text = "";
    if (name === "lastRenderedPageBreak" || (name === "br" && type === "page" && !this.#usesRenderedBreaks)) {
      this.#startPage();
    }
  }

  close(name: string): void {
    if (this.#ignoredDepth > 0) this.#ignoredDepth--;
    else if (name === "t") this.#isInText = false;
    else if (name === "r") this.#run = null;
    else if (name === "p" && this.#tableDepth > 0) this.#text += "\n";
    else if (name === "p") this.#endParagraph();
    else if (name === "tc" && this.#tableDepth === 1) this.#rows?.at(-1)?.push(this.#takeText());
    else if (name === "tbl") this.#closeTable();
  }

  addText(text: string): void {
    if (!this.#isInText || this.#ignoredDepth > 0 || this.#run?.isHidden) return;
    this.#text += this.#run?.isRaised ? toSuperscript(text) : text;
  }

  #startPage(): void {
    this.page++;
    if (this.page > MAX_PAGES) throw new ExtractionError("too_many_pages");
    // A break before the first words of a paragraph or row moves it to the new page.
    if (this.#text.trim() === "") this.#paragraphPage = this.page;
    else this.#pageBreaks.push(this.#text.length);
    const isRowEmpty = this.#text.trim() === "" && this.#rows?.at(-1)?.every((cell) => cell === "");
    if (isRowEmpty) this.#rowPages[this.#rowPages.length - 1] = this.page;
  }

  #takeText(): string {
    const text = this.#text.trim();
    this.#text = "";
    return text;
  }

  #startParagraph(): void {
    // Paragraphs of text boxes are nested in the paragraph that contains the box.
    if (this.#text.trim() !== "") this.#endParagraph();
    this.#text = "";
    this.#level = 0;
    this.#isListItem = false;
    this.#pageBreaks = [];
    this.#paragraphPage = this.page;
  }

  #endParagraph(): void {
    const leading = this.#text.length - this.#text.trimStart().length;
    const text = this.#takeText();
    const page = this.#paragraphPage;
    if (text === "") return;
    const marker = this.#isListItem ? "- " : "";
    const pageBreaks = this.#pageBreaks.map((position) => position - leading + marker.length);
    if (this.#level > 0) this.segments.push({ kind: "heading", level: this.#level, title: text, text, page });
    else this.segments.push({ kind: "text", text: marker + text, page, ...(pageBreaks.length > 0 && { pageBreaks }) });
  }

  #openTable(): void {
    this.#tableDepth++;
    if (this.#tableDepth > 1) return;
    this.#rows = [];
    this.#rowPages = [];
  }

  #openRow(): void {
    this.#rows?.push([]);
    this.#rowPages.push(this.page);
  }

  #closeTable(): void {
    this.#tableDepth--;
    if (this.#tableDepth > 0 || !this.#rows) return;
    // Each page has a table of its own with the header, so that its rows keep their page.
    const [header = [], ...rows] = this.#rows;
    const [headerPage = this.page, ...rowPages] = this.#rowPages;
    const byPage = Map.groupBy(rows.keys(), (index) => rowPages[index] ?? headerPage);
    const pages = byPage.size > 0 ? [...byPage] : [[headerPage, []] as const];
    for (const [page, indexes] of pages) {
      this.segments.push({ kind: "table", rows: [header, ...indexes.map((index) => rows[index] ?? [])], page });
    }
    this.#rows = null;
  }
}

/**
 * Extracts headings, paragraphs, lists, tables and notes of a Word document. The page numbers are those of Word's last
 * rendering.
 */
export async function extractDocx(archive: ZipArchive): Promise<ExtractedFile> {
  const main = (await findMainPart(archive)) ?? "word/document.xml";
  const folder = main.slice(0, main.lastIndexOf("/") + 1);
  const xml = await archive.getText(main);
  const headingLevels = parseHeadingStyles(await archive.findText(`${folder}styles.xml`));
  const usesRenderedBreaks = xml.includes("lastRenderedPageBreak");
  const collect = (part: string) => {
    const collector = new DocumentCollector(headingLevels, usesRenderedBreaks);
    walkXml(part, {
      open: (name, attributes) => collector.open(name, attributes),
      close: (name) => collector.close(name),
      text: (text) => collector.addText(text),
    });
    return collector;
  };
  const body = collect(xml);
  const notes: Segment[] = [];
  for (const name of ["footnotes.xml", "endnotes.xml"]) {
    notes.push(...collect((await archive.findText(folder + name)) ?? "").segments);
  }
  const hasPages = body.page > 1;
  const withoutPage = (segment: Segment): Segment => ({ ...segment, page: undefined });
  const segments = [...(hasPages ? body.segments : body.segments.map(withoutPage)), ...notes.map(withoutPage)];
  return { segments, pageCount: hasPages ? body.page : null };
}
