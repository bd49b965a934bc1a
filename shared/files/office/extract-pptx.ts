import type { ExtractedFile } from "../extracted-file.ts";
import { ExtractionError } from "../extraction-error.ts";
import { MAX_PAGES } from "../extraction-limits.ts";
import type { Segment } from "../segments/segments.ts";
import { toSuperscript } from "../superscript.ts";
import { parseRelationships, toFolder, toRelationshipsPath, walkXml } from "../walk-xml.ts";
import type { ZipArchive } from "../zip-archive.ts";
import { findMainPart } from "./detect-office-type.ts";
import { extractChart } from "./extract-chart.ts";

const titlePlaceholders: ReadonlySet<string> = new Set(["title", "ctrTitle"]);

/** Extracts titles, paragraphs and tables of a slide or of its notes. */
function parseSlide(xml: string, page: number): Segment[] {
  const segments: Segment[] = [];
  let text = "";
  let isTitle = false;
  let isInText = false;
  let isRaised = false;
  let isInTable = false;
  let rows: string[][] = [];
  const takeText = () => {
    const taken = text.trim();
    text = "";
    return taken;
  };
  walkXml(xml, {
    open(name, { type = "", baseline = "0" }) {
      if (name === "sp") isTitle = false;
      else if (name === "r") isRaised = false;
      else if (name === "rPr") isRaised = Number(baseline) > 0;
      else if (name === "ph") isTitle = titlePlaceholders.has(type);
      else if (name === "t") isInText = true;
      else if (name === "br") text += "\n";
      else if (name === "tbl") {
        isInTable = true;
        rows = [];
      } else if (name === "tr") rows.push([]);
    },
    close(name) {
      if (name === "t") isInText = false;
      else if (name === "p" && isInTable) text += "\n";
      else if (name === "p") {
        const paragraph = takeText();
        if (paragraph === "") return;
        if (isTitle) segments.push({ kind: "heading", level: 2, title: paragraph, text: paragraph, page });
        else segments.push({ kind: "text", text: paragraph, page });
      } else if (name === "tc") rows.at(-1)?.push(takeText());
      else if (name === "tbl") {
        isInTable = false;
        segments.push({ kind: "table", rows, page });
      }
    },
    text(data) {
      if (isInText) text += isRaised ? toSuperscript(data) : data;
    },
  });
  return segments;
}

/**
 * Moves the title of a slide before its other segments, because it can be the last shape in the file. A slide without
 * title gets `Slide <number>`.
 */
function withTitleFirst(segments: readonly Segment[], page: number): Segment[] {
  const titles = segments.filter(({ kind }) => kind === "heading");
  const others = segments.filter(({ kind }) => kind !== "heading");
  if (segments.length === 0) return [];
  const fallback: Segment = { kind: "heading", level: 2, title: `Slide ${page}`, text: "", page };
  return [...(titles.length > 0 ? titles : [fallback]), ...others];
}

/**
 * Extracts the slides of a presentation in order, each with its charts, diagrams and notes. Slide numbers are the page
 * numbers of the segments.
 */
export async function extractPptx(archive: ZipArchive): Promise<ExtractedFile> {
  const main = (await findMainPart(archive)) ?? "ppt/presentation.xml";
  const parts = parseRelationships(await archive.findText(toRelationshipsPath(main)), toFolder(main));
  const slideIds: string[] = [];
  walkXml(await archive.getText(main), {
    open(name, attributes) {
      if (name === "sldId") slideIds.push(attributes.id ?? "");
    },
  });
  if (slideIds.length > MAX_PAGES) throw new ExtractionError("too_many_pages");
  const segments: Segment[] = [];
  for (const [index, id] of slideIds.entries()) {
    const slide = parts.get(id)?.target ?? "";
    const page = index + 1;
    segments.push(...withTitleFirst(parseSlide((await archive.findText(slide)) ?? "", page), page));
    const slideParts = parseRelationships(await archive.findText(toRelationshipsPath(slide)), toFolder(slide));
    for (const { type, target } of slideParts.values()) {
      if (type === "chart") segments.push(...extractChart((await archive.findText(target)) ?? "", page));
      else if (type === "diagramData") segments.push(...parseSlide((await archive.findText(target)) ?? "", page));
    }
    const notes = [...slideParts.values()].find(({ type }) => type === "notesSlide");
    if (!notes) continue;
    const noteSegments = parseSlide((await archive.findText(notes.target)) ?? "", page);
    // A paragraph of digits is the placeholder of the slide number.
    segments.push(...noteSegments.filter((segment) => segment.kind !== "text" || !/^\d+$/.test(segment.text)));
  }
  return { segments, pageCount: slideIds.length };
}
