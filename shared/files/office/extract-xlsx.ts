import type { ExtractedFile } from "../extracted-file.ts";
import { ExtractionError } from "../extraction-error.ts";
import { MAX_EXTRACTED_TEXT_LENGTH, MAX_PAGES } from "../extraction-limits.ts";
import type { Segment } from "../segments/segments.ts";
import { parseRelationships, toFolder, toRelationshipsPath, walkXml } from "../walk-xml.ts";
import type { ZipArchive } from "../zip-archive.ts";
import { formatCell, toFormatCode } from "./cell-formats.ts";
import { findMainPart } from "./detect-office-type.ts";

/** Maximum number of columns. Cells to the right of them are left out. */
const MAX_COLUMNS = 256;

/** Returns the shared strings of a workbook, without phonetic hints. */
function parseSharedStrings(xml: string | undefined): string[] {
  const strings: string[] = [];
  let text = "";
  let isInText = false;
  let phoneticDepth = 0;
  walkXml(xml ?? "", {
    open(name) {
      if (name === "si") text = "";
      else if (name === "rPh") phoneticDepth++;
      else if (name === "t") isInText = phoneticDepth === 0;
    },
    close(name) {
      if (name === "si") strings.push(text);
      else if (name === "rPh") phoneticDepth--;
      else if (name === "t") isInText = false;
    },
    text(data) {
      if (isInText) text += data;
    },
  });
  return strings;
}

/** Returns for each cell style, by index, the code of its number format. */
function parseFormats(xml: string | undefined): string[] {
  const customCodes = new Map<number, string>();
  const formats: string[] = [];
  let isInCellFormats = false;
  walkXml(xml ?? "", {
    open(name, { numFmtId = "0", formatCode = "" }) {
      if (name === "numFmt") customCodes.set(Number(numFmtId), formatCode);
      else if (name === "cellXfs") isInCellFormats = true;
      else if (name === "xf" && isInCellFormats) formats.push(toFormatCode(Number(numFmtId), customCodes));
    },
    close(name) {
      if (name === "cellXfs") isInCellFormats = false;
    },
  });
  return formats;
}

/** Returns the column of a cell reference, from 0: `B7` → 1. */
function toColumn(reference: string): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? "A";
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Data of a workbook to which the cells of all sheets refer. */
interface Workbook {
  readonly strings: readonly string[];
  readonly formats: readonly string[];
  readonly starts1904: boolean;
}

function toCellText(type: string, style: string, value: string, workbook: Workbook): string {
  if (type === "s") return workbook.strings[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  if (type !== "" && type !== "n") return value;
  return formatCell(value, workbook.formats[Number(style)] ?? "", workbook.starts1904);
}

/** Returns the rows of a sheet that contain values, with the cells up to the last value. */
function parseSheet(xml: string, workbook: Workbook): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = { column: 0, type: "", style: "" };
  let value = "";
  let isInValue = false;
  let length = 0;
  walkXml(xml, {
    open(name, { r = "", t = "", s = "" }) {
      if (name === "row") row = [];
      else if (name === "c") {
        cell = { column: r === "" ? row.length : toColumn(r), type: t, style: s };
        value = "";
      } else if (name === "v" || name === "t") isInValue = true;
    },
    close(name) {
      if (name === "v" || name === "t") isInValue = false;
      else if (name === "c" && cell.column < MAX_COLUMNS) {
        const text = toCellText(cell.type, cell.style, value, workbook).trim();
        if (text === "") return;
        while (row.length < cell.column) row.push("");
        row[cell.column] = text;
        length += text.length;
        if (length > MAX_EXTRACTED_TEXT_LENGTH) throw new ExtractionError("too_large");
      } else if (name === "row" && row.length > 0) rows.push(row);
    },
    text(data) {
      if (isInValue) value += data;
    },
  });
  return rows;
}

/** Returns the paragraphs in the text boxes and shapes of a drawing as segments. */
function parseTextBoxes(xml: string): Segment[] {
  const segments: Segment[] = [];
  let text = "";
  let isInText = false;
  let fallbackDepth = 0;
  walkXml(xml, {
    open(name) {
      // A fallback repeats the content of the preferred alternative.
      if (name === "Fallback") fallbackDepth++;
      else if (name === "t") isInText = fallbackDepth === 0;
      else if (name === "br") text += "\n";
    },
    close(name) {
      if (name === "Fallback") fallbackDepth--;
      else if (name === "t") isInText = false;
      else if (name === "p") {
        if (text.trim() !== "") segments.push({ kind: "text", text: text.trim() });
        text = "";
      }
    },
    text(data) {
      if (isInText) text += data;
    },
  });
  return segments;
}

async function readTextBoxes(archive: ZipArchive, sheet: string): Promise<Segment[]> {
  const parts = parseRelationships(await archive.findText(toRelationshipsPath(sheet)), toFolder(sheet));
  const segments: Segment[] = [];
  for (const { type, target } of parts.values()) {
    if (type === "drawing") segments.push(...parseTextBoxes((await archive.findText(target)) ?? ""));
  }
  return segments;
}

/**
 * Extracts the sheets of a workbook in order, each as a heading, a table and the texts of its text boxes. Formulas are
 * represented by their saved values.
 */
export async function extractXlsx(archive: ZipArchive): Promise<ExtractedFile> {
  const main = (await findMainPart(archive)) ?? "xl/workbook.xml";
  const parts = parseRelationships(await archive.findText(toRelationshipsPath(main)), toFolder(main));
  const findPart = (wanted: string) => [...parts.values()].find(({ type }) => type === wanted)?.target ?? "";
  const sheets: { name: string; part: string }[] = [];
  let starts1904 = false;
  walkXml(await archive.getText(main), {
    open(name, { name: title = "", id = "", date1904 = "" }) {
      if (name === "workbookPr") starts1904 = ["1", "true"].includes(date1904);
      if (name === "sheet") sheets.push({ name: title, part: parts.get(id)?.target ?? "" });
    },
  });
  if (sheets.length > MAX_PAGES) throw new ExtractionError("too_many_pages");
  const workbook: Workbook = {
    strings: parseSharedStrings(await archive.findText(findPart("sharedStrings"))),
    formats: parseFormats(await archive.findText(findPart("styles"))),
    starts1904,
  };
  const segments: Segment[] = [];
  for (const { name, part } of sheets) {
    const rows = parseSheet((await archive.findText(part)) ?? "", workbook);
    const textBoxes = await readTextBoxes(archive, part);
    if (rows.length === 0 && textBoxes.length === 0) continue;
    segments.push({ kind: "heading", level: 1, title: name, text: name });
    if (rows.length > 0) segments.push({ kind: "table", rows });
    segments.push(...textBoxes);
  }
  return { segments, pageCount: null };
}
