import { expect, it } from "vitest";
import { extractFile } from "#shared/files/extract-file.ts";
import { writePdfPages } from "#test/support/knowledge/pdf-objects.ts";
import { createPdf } from "#test/support/knowledge/sample-files.ts";

/** Returns the text of a PDF page with one line of text at each position. */
const pdfLines = (lines: readonly (readonly [text: string, x: number, y: number])[]) =>
  lines.map(([text, x, y]) => `) Tj 1 0 0 1 ${x} ${y} Tm (${text}`).join("");

async function extractText(page: string): Promise<string[]> {
  const { segments } = await extractFile(createPdf([page]), "pdf");
  return segments.map((segment) => (segment.kind === "table" ? "table" : segment.text));
}

it.each([
  ["character spacing", ") Tj 4 Tc (Harbor rules) Tj 0 Tc ("],
  ["narrow steps", `) Tj [${[..."Harbor rules"].map((letter) => `(${letter}) -300`).join(" ")}] TJ (`],
  ["wide steps", `) Tj [${[..."Harbor rules"].map((letter) => `(${letter}) -600`).join(" ")}] TJ (`],
])("extractFile() with a PDF file joins the letters of words that %s separates", async (_, page) => {
  expect(await extractText(page)).toEqual(["Harbor rules"]);
});

it("extractFile() with a PDF file keeps the spaces between single letters and digits", async () => {
  expect(await extractText("a b c and 1 2 3 4 5 6 7")).toEqual(["a b c and 1 2 3 4 5 6 7"]);
});

it("extractFile() with a PDF file joins letters that overlap", async () => {
  const page = ") Tj 1 0 0 1 72 700 Tm (L) Tj 1 0 0 1 74.5 702 Tm (ATEX) Tj (";
  expect(await extractText(page)).toEqual(["LATEX"]);
});

it("extractFile() with a PDF file returns text only once when it is drawn several times to look bold", async () => {
  const copies = [0, 0.3, 0.6].map((shift): [string, number, number] => ["Harbor rules", 72 + shift, 700 - shift]);
  expect(await extractText(pdfLines(copies))).toEqual(["Harbor rules"]);
});

it("extractFile() with a PDF file returns the parts of a line from left to right in any order of drawing", async () => {
  const parts = [["rules", 115, 700] as const, ["Harbor", 72, 700] as const];
  expect(await extractText(pdfLines(parts))).toEqual(["Harbor rules"]);
});

it("extractFile() with a PDF file joins the lines of a paragraph with spaces, and hyphenated words", async () => {
  const lines = [
    "The harbor opens at dawn and closes when the last",
    "ferry of the day has left. Captains report the num-",
    "ber of passengers to the office on the pier before",
    "Monday.",
  ].map((text, index) => [text, 72, 700 - 14 * index] as const);
  expect(await extractText(pdfLines(lines))).toEqual([
    "The harbor opens at dawn and closes when the last ferry of the day has left. Captains report the number of passengers to the office on the pier before Monday.",
  ]);
});

it.each([
  ["an address", ["Harbor Office", "12 Pier Street", "Northport"]],
  ["a list", ["1. Bring the papers of the ship to the office", "2. Pay the fee of the harbor at the counter"]],
])("extractFile() with a PDF file keeps the line ends of %s", async (_, lines) => {
  const page = pdfLines(lines.map((text, index) => [text, 72, 700 - 14 * index] as const));
  expect(await extractText(page)).toEqual([lines.join("\n")]);
});

it("extractFile() with a PDF file reads all pages of a damaged file with the word xref in its text", async () => {
  const contents = ["The xref table", "Second page"].map((text) => ({
    content: `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`,
  }));
  const file = writePdfPages([4, 5], contents, "", { tableOffset: -3 });
  const { segments } = await extractFile(file, "pdf");
  expect(segments).toMatchObject([{ text: "The xref table" }, { text: "Second page" }]);
});

it.each([
  ["Harbor rules of 2026", "Harbor rules of 2026"],
  ["Microsoft Word - Harbor.doc", undefined],
  ["Template of the agency", undefined],
  ["untitled", undefined],
])("extractFile() with a PDF file returns the declared title %j as %j", async (declared, title) => {
  const content = { content: "BT /F1 12 Tf 72 720 Td (Harbor rules of 2026, untitled, Microsoft Word) Tj ET" };
  const file = writePdfPages([4], [content, `<< /Title (${declared}) >>`], "", { trailer: "/Info 5 0 R" });
  expect((await extractFile(file, "pdf")).title).toBe(title);
});

it.each([
  [
    "scanned_only",
    "a page that shows an image",
    [{ dictionary: "/Type /XObject /Subtype /Image /Width 1 /Height 1", content: "x" }],
  ],
  ["empty", "a page without images", []],
])("extractFile() with a PDF file fails with the code %s for %s", async (code, _, images) => {
  const file = writePdfPages([4], [{ content: "q Q" }, ...images], "/XObject << /I 5 0 R >>");
  await expect(extractFile(file, "pdf")).rejects.toMatchObject({ code });
});
