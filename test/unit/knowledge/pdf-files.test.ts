import { describe, expect, it } from "vitest";
import { extractFile } from "#shared/files/extract-file.ts";
import { encodedTexts } from "#test/support/knowledge/encoded-texts.ts";
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

describe("PDF file with a font of a predefined character map", () => {
  /** Creates a PDF file with one line in a font that has no map to Unicode of its own. */
  const createMapped = (encoding: string, ordering: string, text: Uint8Array) => {
    const stream = `BT /F1 12 Tf 72 700 Td <${Buffer.from(text).toString("hex")}> Tj ET`;
    const objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      `<< /Type /Font /Subtype /Type0 /BaseFont /Sample /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Sample /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor 7 0 R >>`,
      "<< /Type /FontDescriptor /FontName /Sample /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>",
    ];
    let file = "%PDF-1.7\n";
    const offsets = objects.map((object, index) => {
      const offset = file.length;
      file += `${index + 1} 0 obj\n${object}\nendobj\n`;
      return `${String(offset).padStart(10, "0")} 00000 n \n`;
    });
    const start = file.length;
    file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
    file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
    return Buffer.from(file, "latin1");
  };
  const bytesOf = (language: string, encoding: string) => {
    const found = encodedTexts.find(([of, name]) => of === language && name === encoding);
    if (!found) throw new Error(`There is no text in ${encoding}`);
    return { bytes: Buffer.from(found[2], "base64"), text: found[3] };
  };
  const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();

  it.each([
    ["90ms-RKSJ-H", "Japan1", "Japanese", "shift_jis"],
    ["EUC-H", "Japan1", "Japanese", "euc-jp"],
    ["GBK-EUC-H", "GB1", "Chinese", "gb18030"],
    ["ETen-B5-H", "CNS1", "Chinese", "big5"],
    ["KSCms-UHC-H", "Korea1", "Korean", "euc-kr"],
  ])("is read: %s", async (map, ordering, language, encoding) => {
    const { bytes, text } = bytesOf(language, encoding);
    const { segments } = await extractFile(createMapped(map, ordering, bytes), "pdf");
    expect(
      segments
        .map((segment) => ("text" in segment ? segment.text : ""))
        .join("")
        .replace(/\s/g, ""),
    ).toBe(text.replace(/\s/g, ""));
  });

  it.each([
    ["UniJIS-UTF16-H", "Japan1", "Japanese", "shift_jis"],
    ["UniGB-UCS2-H", "GB1", "Chinese", "gb18030"],
    ["UniCNS-UCS2-H", "CNS1", "Chinese", "big5"],
    ["UniKS-UCS2-H", "Korea1", "Korean", "euc-kr"],
  ])("is read: %s", async (map, ordering, language, encoding) => {
    const { text } = bytesOf(language, encoding);
    const { segments } = await extractFile(createMapped(map, ordering, utf16be(text)), "pdf");
    expect(
      segments
        .map((segment) => ("text" in segment ? segment.text : ""))
        .join("")
        .replace(/\s/g, ""),
    ).toBe(text.replace(/\s/g, ""));
  });
});
