import { expect, it } from "vitest";
import { extractFile } from "#shared/files/extract-file.ts";
import type { DocumentType } from "#shared/files/file-types.ts";
import { findDocumentType } from "#shared/files/file-types.ts";
import type { Segment } from "#shared/files/segments/segments.ts";
import { splitSegments } from "#shared/knowledge/indexing/split-into-passages.ts";
import { encodedTexts } from "#test/support/knowledge/encoded-texts.ts";
import {
  createDocx,
  createEmail,
  createEpub,
  createPdf,
  createPptx,
  createXlsx,
  docxParagraph,
  pdfRows,
  pptxShape,
} from "#test/support/knowledge/sample-files.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const heading = (title: string, level: number, page?: number): Segment => ({
  kind: "heading",
  level,
  title,
  text: title,
  ...(page !== undefined && { page }),
});

async function extractSegments(file: Uint8Array, type: DocumentType) {
  const { segments } = await extractFile(file, type);
  return JSON.parse(JSON.stringify(segments));
}

it("extractFile(), which reads the text of a file, returns headings, lists, tables and pages of a Word document", async () => {
  const cell = (text: string) => `<w:tc>${docxParagraph(text)}</w:tc>`;
  const body = [
    docxParagraph("Harbor", "H1"),
    docxParagraph("Ships &amp; boats"),
    `<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>First</w:t></w:r></w:p>`,
    `<w:p><w:r><w:lastRenderedPageBreak/><w:t>Second page</w:t><w:tab/><w:t>end</w:t></w:r></w:p>`,
    `<w:tbl><w:tr>${cell("Name")}${cell("Price")}</w:tr><w:tr>${cell("Crab")}${cell("12")}</w:tr></w:tbl>`,
    `<w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>`,
  ];
  expect(await extractSegments(createDocx(body.join("")), "docx")).toEqual([
    heading("Harbor", 1, 1),
    { kind: "text", text: "Ships & boats", page: 1 },
    { kind: "text", text: "- First", page: 1 },
    { kind: "text", text: "Second page\tend", page: 2 },
    {
      kind: "table",
      rows: [
        ["Name", "Price"],
        ["Crab", "12"],
      ],
      page: 2,
    },
  ]);
});

it("extractFile(), which reads the text of a file, returns the titles, texts and numbers of a presentation's slides", async () => {
  const slides = [pptxShape("Body") + pptxShape("Title", "ctrTitle"), pptxShape("No title")];
  expect(await extractSegments(createPptx(slides), "pptx")).toEqual([
    heading("Title", 2, 1),
    { kind: "text", text: "Body", page: 1 },
    { kind: "heading", level: 2, title: "Slide 2", text: "", page: 2 },
    { kind: "text", text: "No title", page: 2 },
  ]);
});

it("extractFile(), which reads the text of a file, returns the sheets of a spreadsheet as tables with shared strings, dates and empty cells", async () => {
  const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Day</t></is></c></row><row r="2"><c r="A2"><v>12.5</v></c><c r="C2" s="1"><v>45000</v></c></row>`;
  expect(await extractSegments(createXlsx(rows, ["Price"]), "xlsx")).toEqual([
    heading("Prices", 1),
    {
      kind: "table",
      rows: [
        ["Price", "", "Day"],
        ["12.5", "", "2023-03-15"],
      ],
    },
  ]);
});

it("extractFile(), which reads the text of a file, keeps superscripts of documents, slides and pages readable, and leaves hidden text out", async () => {
  const run = (text: string, properties = "") => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
  const raised = '<w:vertAlign w:val="superscript"/>';
  const runs = [
    run("10"),
    run("3", raised),
    run(" m"),
    run("2", raised),
    run(", the 1"),
    run("st", raised),
    run(" SECRET", "<w:vanish/>"),
    run(" shown", '<w:vanish w:val="0"/>'),
    run(", H"),
    run("2", '<w:vertAlign w:val="subscript"/>'),
    run("O"),
  ];
  const text = "10³ m², the 1st shown, H2O";
  expect(await extractSegments(createDocx(`<w:p>${runs.join("")}</w:p>`), "docx")).toEqual([{ kind: "text", text }]);
  const slide = pptxShape("5 km").replace("</a:r>", '</a:r><a:r><a:rPr baseline="30000"/><a:t>2</a:t></a:r>');
  expect(JSON.stringify(await extractSegments(createPptx([slide]), "pptx"))).toContain("5 km²");
  const page = "<p>10<sup>3</sup> m<sup>2</sup>, the 1<sup>st</sup></p>";
  expect(await extractSegments(encode(page), "html")).toEqual([{ kind: "text", text: "10³ m², the 1st" }]);
});

it("extractFile(), which reads the text of a file, returns the text boxes of a spreadsheet", async () => {
  const paragraph = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const drawing = `<mc:AlternateContent><mc:Choice><xdr:sp><xdr:txBody>${paragraph("Prices rise")}${paragraph("in May")}</xdr:txBody></xdr:sp></mc:Choice><mc:Fallback><xdr:sp>${paragraph("Prices rise")}</xdr:sp></mc:Fallback></mc:AlternateContent>`;
  expect(await extractSegments(createXlsx("<row><c><v>1</v></c></row>", [], drawing), "xlsx")).toEqual([
    heading("Prices", 1),
    { kind: "table", rows: [["1"]] },
    { kind: "text", text: "Prices rise" },
    { kind: "text", text: "in May" },
  ]);
});

it.each(["", "book/parts/"])(
  "extractFile(), which reads the text of a file, reads a spreadsheet whose parts are in the folder %j of the archive",
  async (folder) => {
    const file = createXlsx("<row><c><v>7</v></c></row>", [], "", folder);
    expect(await extractSegments(file, "xlsx")).toEqual([heading("Prices", 1), { kind: "table", rows: [["7"]] }]);
    await expect(extractFile(file, "docx")).rejects.toMatchObject({ code: "mislabeled" });
  },
);

it("extractFile(), which reads the text of a file, returns the pages of a PDF file", async () => {
  expect(await extractFile(createPdf(["First page", "Second page"]), "pdf")).toMatchObject({
    pageCount: 2,
    segments: [
      { kind: "text", text: "First page", page: 1 },
      { kind: "text", text: "Second page", page: 2 },
    ],
  });
});

it("extractFile(), which reads the text of a file, returns tables of a PDF file that consist of aligned text", async () => {
  const page = pdfRows([
    [[72, "Prices of the canteen"]],
    [
      [72, "Dish"],
      [200, "Counter"],
      [300, "Price"],
    ],
    [
      [72, "Vegetable soup"],
      [200, "1"],
      [305, "4.20"],
    ],
    [
      [72, "Rice"],
      [305, "5.10"],
    ],
    [[72, "Guests pay with a card."]],
  ]);
  const rows = [
    ["Dish", "Counter", "Price"],
    ["Vegetable soup", "1", "4.20"],
    ["Rice", "", "5.10"],
  ];
  expect(await extractFile(createPdf([page]), "pdf")).toMatchObject({
    segments: [
      { kind: "text", text: "Prices of the canteen" },
      { kind: "table", rows, page: 1 },
      { kind: "text", text: "Guests pay with a card." },
    ],
  });
});

it.each([
  ["a list", ["1.", "2.", "3."], ["First point", "Second point", "Third point"]],
  ["a table of contents", ["Soup", "Rice", "Bread"], [". . . . . 1", ". . . . . 2", ". . . . . 3"]],
  [
    "prose in two columns",
    ["The first column of a long text starts", "and continues here with further words", "until it ends."],
    [
      "The second column is as long as the first one, and",
      "it continues as well with several words until",
      "the text ends here, after a few more words of it.",
    ],
  ],
])("extractFile(), which reads the text of a file, returns %s of a PDF file as text", async (_, left, right) => {
  const page = pdfRows(
    left.map((text, row) => [
      [72, text],
      [330, right[row] ?? ""],
    ]),
  );
  const { segments } = await extractFile(createPdf([page]), "pdf");
  expect(segments.map(({ kind }) => kind)).toEqual(["text"]);
  expect(JSON.stringify(segments)).toContain(right[2]);
});

it("extractFile(), which reads the text of a file, returns the chapters of an EPUB book in order", async () => {
  const { segments, title } = await extractFile(createEpub(["<h1>One</h1><p>a</p>", "<h1>Two</h1><p>b</p>"]), "epub");
  expect(title).toBe("The Book");
  expect(segments).toEqual([
    heading("One", 1),
    { kind: "text", text: "a" },
    heading("Two", 1),
    { kind: "text", text: "b" },
  ]);
});

it("extractFile(), which reads the text of a file, skips pictures in the reading order of an EPUB book, or reads their text fallback", async () => {
  const manifest = `<item id="p" href="p.jpg" media-type="image/jpeg"/><item id="d" href="d.json" media-type="application/json" fallback="x"/><item id="x" href="x.xhtml" media-type="application/xhtml+xml"/><item id="loop" href="l.png" media-type="image/png" fallback="loop"/>`;
  const spine = ["p", "d", "loop"].map((id) => `<itemref idref="${id}"/>`).join("");
  const others = { "OEBPS/p.jpg": "not text", "OEBPS/d.json": "{}", "OEBPS/x.xhtml": "<p>fallback</p>" };
  expect(await extractSegments(createEpub(["<p>a</p>"], others, manifest, spine), "epub")).toEqual([
    { kind: "text", text: "fallback" },
    { kind: "text", text: "a" },
  ]);
});

it("extractFile(), which reads the text of a file, returns subject, sender, recipients and text of an e-mail", async () => {
  const email = `From: Ada <ada@example.com>\r\nTo: grace@example.com\r\nSubject: =?utf-8?q?H=C3=A4fen?=\r\nContent-Type: text/html\r\n\r\n<p>Hello <b>there</b></p>`;
  expect(await extractSegments(encode(email), "email")).toEqual([
    heading("Häfen", 1),
    { kind: "text", text: "From: Ada <ada@example.com>\nTo: grace@example.com" },
    { kind: "text", text: "Hello there" },
  ]);
});

it("extractFile(), which reads the text of a file, returns the text of readable attachments of an e-mail, and the names of the others", async () => {
  const innermost = createEmail("Deep", "Innermost text", []);
  const forwarded = createEmail("Inner", "Forwarded text", [
    { name: "inner.txt", content: "Text in the forwarded message" },
    { name: "deep.eml", content: innermost },
  ]);
  const email = createEmail("Offer", "See the files.", [
    { name: "offer.docx", content: createDocx(docxParagraph("Terms", "H1") + docxParagraph("Ten ships")) },
    { name: "prices.csv", content: "a,b\n1,2\n" },
    { name: "forwarded.eml", content: forwarded, mediaType: "message/rfc822" },
    { name: "photo.png", content: Buffer.from("89504e47", "hex") },
    { name: "broken.pdf", content: "no PDF" },
  ]);
  const nestedFields = [
    "From: ada@example.com",
    "Attachments: inner.txt, deep.eml",
    "Attachments that are not indexed: deep.eml",
  ];
  const fields = [
    "From: ada@example.com",
    "Attachments: offer.docx, prices.csv, forwarded.eml, photo.png, broken.pdf",
    "Attachments that are not indexed: photo.png, broken.pdf",
  ];
  const rows = [
    ["a", "b"],
    ["1", "2"],
  ];
  expect(await extractSegments(email, "email")).toEqual([
    heading("Offer", 1),
    { kind: "text", text: fields.join("\n") },
    { kind: "text", text: "See the files." },
    heading("offer.docx", 1),
    heading("Terms", 2),
    { kind: "text", text: "Ten ships" },
    heading("prices.csv", 1),
    { kind: "table", rows },
    heading("forwarded.eml: Inner", 1),
    heading("Inner", 2),
    { kind: "text", text: nestedFields.join("\n") },
    { kind: "text", text: "Forwarded text" },
    heading("inner.txt", 2),
    { kind: "text", text: "Text in the forwarded message" },
  ]);
});

it.each([
  ["number", 30, 10],
  ["length", 3, 700_000],
])(
  "extractFile(), which reads the text of a file, limits the %s of the attachments that it reads",
  async (_, count, length) => {
    const attachments = Array.from({ length: count }, (_, n) => ({ name: `${n}.txt`, content: `${n}`.repeat(length) }));
    const segments = (await extractSegments(createEmail("Many", "Text", attachments), "email")) as Segment[];
    const read = segments.filter((segment) => segment.kind === "heading").length - 1;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(count);
    expect(JSON.stringify(segments[1])).toContain(`not indexed: `);
    expect(JSON.stringify(segments[1])).toContain(`${count - 1}.txt`);
  },
);

it.each([
  ["commas", 'a,b\n"x, ""y""",2\n'],
  ["semicolons", 'a;b\n"x, ""y""";2\n'],
  ["tabs", 'a\tb\n"x, ""y"""\t2'],
  ["a declared delimiter", 'sep=;\r\na;b\r\n"x, ""y""";2\r\n'],
])("extractFile(), which reads the text of a file, reads a CSV file with values separated by %s", async (_, text) => {
  expect(await extractSegments(encode(text), "csv")).toEqual([
    {
      kind: "table",
      rows: [
        ["a", "b"],
        ['x, "y"', "2"],
      ],
    },
  ]);
});

it.each([
  ["UTF-8 with a mark", Buffer.from("\ufeffHäfen")],
  ["UTF-16", Buffer.from("\ufeffHäfen", "utf16le")],
])("extractFile(), which reads the text of a file, reads a text file that is encoded in %s", async (_, bytes) => {
  expect(await extractSegments(bytes, "text")).toEqual([{ kind: "text", text: "Häfen" }]);
});

it.each(encodedTexts)(
  "extractFile(), which reads the text of a file, detects the encoding of a text file in %s: %s",
  async (_language, _encoding, base64, text) => {
    expect(await extractSegments(Buffer.from(base64, "base64"), "text")).toEqual([{ kind: "text", text }]);
  },
);

it.each([
  ["one letter of many languages", Buffer.from("Grüße", "latin1")],
  ["a Hungarian or Portuguese beginning", Buffer.from([0x68, 0xe9, 0x74, 0x66, 0xf5, 0x74, 0xf5, 0x6c])],
])(
  "extractFile(), which reads the text of a file, refuses a text whose encoding is not certain: %s",
  async (_, bytes) => {
    await expect(extractFile(bytes, "text")).rejects.toMatchObject({ code: "unknown_encoding" });
  },
);

it("extractFile(), which reads the text of a file, tells binary data from texts in unknown encodings", async () => {
  const bytes = Buffer.from(Array.from({ length: 2_000 }, (_, index) => (index * 97) % 256));
  await expect(extractFile(bytes, "text")).rejects.toMatchObject({ code: "mislabeled" });
});

it("extractFile(), which reads the text of a file, returns the numbers of a spreadsheet as it shows them", async () => {
  const cells: [value: string, format: string | number, shown: string][] = [
    ["0.475", "0.0%", "47.5%"],
    ["0.475", 9, "48%"],
    ["0.604166666666667", 20, "14:30"],
    ["1.5", 46, "36:00:00"],
    ["1234.5", "[$€-407] #,##0.00", "€ 1.234,50"],
    ["1234.5", '"CHF" #,##0.00', "CHF 1,234.50"],
    ["1234.5", "#,##0.00\\ [$kr-41D]", "1 234,50 kr"],
    ["42", "00000", "00042"],
    ["45352", 14, "2024-03-01"],
    ["45352", "dd.mm.yyyy", "2024-03-01"],
    ["45352.5", "m/d/yy h:mm", "2024-03-01 12:00"],
    ["45352", "mmm yyyy", "Mar 2024"],
    ["0.30000000000000004", 0, "0.3"],
    ["12345678901234", 0, "12345678901234"],
    ["-5", "0;[Red](0)", "(5)"],
    ["1500", '[>=1000]0.0,"K";0', "1.5K"],
    ["7", "not a ] format [", "7"],
    ["491701234567", "+0", "+491701234567"],
  ];
  const custom = cells.flatMap(([, format], index) =>
    typeof format === "string" ? [{ id: 200 + index, code: format }] : [],
  );
  const escapeCode = (code: string) => code.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const styles = `<styleSheet><numFmts>${custom.map(({ id, code }) => `<numFmt numFmtId="${id}" formatCode="${escapeCode(code)}"/>`).join("")}</numFmts><cellXfs>${cells.map(([, format], index) => `<xf numFmtId="${typeof format === "number" ? format : 200 + index}"/>`).join("")}</cellXfs></styleSheet>`;
  const rows = cells.map(([value], index) => `<row><c s="${index}"><v>${value}</v></c></row>`).join("");
  const [, table] = await extractSegments(createXlsx(rows, [], "", "", styles), "xlsx");
  expect(table).toEqual({ kind: "table", rows: cells.map(([, , shown]) => [shown]) });
});

it.each([
  ["a title with commas above them", "Prices, as of May, all\na;b;c\n1,5;2,5;3\n4;5;6\n", ["a", "b", "c"]],
  ["decimal commas and no header", "1,5;2,5\n3,1;4,2\n", ["1,5", "2,5"]],
  ["tabs and commas in texts", "name\tnote\nAda\tone, two, three\nBob\tfour, five, six\n", ["name", "note"]],
  ["pipes", "a|b\n1|2\n", ["a", "b"]],
])(
  "extractFile(), which reads the text of a file, takes the delimiter of most rows of a CSV file: %s",
  async (_, text, row) => {
    const [table] = (await extractSegments(encode(text), "csv")) as { rows: string[][] }[];
    expect(table?.rows).toContainEqual(row);
  },
);

it("extractFile(), which reads the text of a file, keeps tables with data of web pages, but not tables that only arrange the page", async () => {
  const data = "<table><tr><th>A</th><th>B</th></tr><tr><td><p>1</p></td><td>2</td></tr></table>";
  const layout = `<table><tr><td>left</td><td>${data}</td></tr><tr><td>x</td></tr></table>`;
  const table = {
    kind: "table",
    rows: [
      ["A", "B"],
      ["1", "2"],
    ],
  };
  expect(await extractSegments(encode(data), "html")).toEqual([table]);
  expect(await extractSegments(encode(layout), "html")).toContainEqual(table);
});

it("splitSegments(), which splits a file's text into passages, repeats the header row of a table in each passage", () => {
  const rows = [["Name", "Text"], ...Array.from({ length: 60 }, (_, n) => [`Row ${n}`, "word ".repeat(15)])];
  const passages = splitSegments([{ kind: "table", rows, page: 3 }]);
  expect(passages.length).toBeGreaterThan(2);
  for (const { text, page } of passages) {
    expect(text).toMatch(/^\| Name \| Text \|\n\| --- \| --- \|\n\| Row /);
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(page).toBe(3);
  }
  for (let row = 0; row < 60; row++) {
    expect(passages.filter(({ text }) => text.includes(`| Row ${row} |`))).toHaveLength(1);
  }
});

it.each([
  ["a.PDF", "", "pdf"],
  ["a.b.docx", "text/plain", "docx"],
  ["a.exe", "text/plain", null],
  ["a", "text/plain; charset=utf-8", "text"],
  ["a", "application/octet-stream", null],
])("findDocumentType() returns the format of the file %s with the media type %j", (name, mediaType, type) => {
  expect(findDocumentType(name, mediaType)).toBe(type);
});
