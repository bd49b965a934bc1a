import { expect, it } from "vitest";
import { extractFile } from "#shared/files/extract-file.ts";
import type { OdfKind } from "#shared/files/extract-odf.ts";
import { createMsg } from "#test/support/knowledge/msg.ts";
import { createOdf, createPptx, pptxShape } from "#test/support/knowledge/sample-files.ts";

async function extract(file: Uint8Array, type: Parameters<typeof extractFile>[1]) {
  return JSON.parse(JSON.stringify((await extractFile(file, type)).segments));
}

const extractOdf = (kind: OdfKind, body: string) => extract(createOdf(kind, body), kind);
const extractRtf = (body: string) => extract(Buffer.from(`{\\rtf1\\ansi\\ansicpg1252${body}}`, "latin1"), "rtf");

it("extractFile() with an OpenDocument file returns headings, lists, tables and notes of a text document without deleted text", async () => {
  const body = `<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:h text:outline-level="2">Harbor</text:h>
      <text:p>Ships<text:s/>and<text:line-break/>boats<text:note><text:note-citation>1</text:note-citation><text:p>A note</text:p></text:note></text:p>
      <text:list><text:list-item><text:p>First</text:p></text:list-item></text:list>
      <table:table><table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>Price</text:p></table:table-cell></table:table-row></table:table>`;
  expect(await extractOdf("odt", body)).toEqual([
    { kind: "heading", level: 2, title: "Harbor", text: "Harbor" },
    { kind: "text", text: "A note" },
    { kind: "text", text: "Ships and\nboats" },
    { kind: "text", text: "- First" },
    { kind: "table", rows: [["Name", "Price", "Price"]] },
  ]);
});

it("extractFile() with an OpenDocument file returns the sheets of a spreadsheet without the empty cells at its end", async () => {
  const body = `<table:table table:name="Prices"><table:table-row><table:table-cell><text:p>Crab</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`;
  expect(await extractOdf("ods", body)).toEqual([
    { kind: "heading", level: 1, title: "Prices", text: "Prices" },
    { kind: "table", rows: [["Crab"]] },
  ]);
});

it("extractFile() with an OpenDocument file returns the slides of a presentation with their titles", async () => {
  const slide = (title: string) =>
    `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>${title}</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>Body</text:p></draw:text-box></draw:frame></draw:page>`;
  expect(await extractOdf("odp", slide("One") + slide("Two"))).toEqual([
    { kind: "heading", level: 2, title: "One", text: "One", page: 1 },
    { kind: "text", text: "Body", page: 1 },
    { kind: "heading", level: 2, title: "Two", text: "Two", page: 2 },
    { kind: "text", text: "Body", page: 2 },
  ]);
});

it("extractFile() with an OpenDocument file fails for a file of another OpenDocument format", async () => {
  await expect(extractFile(createOdf("ods", ""), "odt")).rejects.toMatchObject({ code: "mislabeled" });
});

it("extractFile() with an RTF file returns headings, paragraphs and tables", async () => {
  const body = String.raw`{\fonttbl{\f0 Arial;}}{\stylesheet{\s1 heading 1;}}{\info{\author Ada}}\pard\s1 Harbor\par\pard Ships {\b and} boats\line end\par\trowd\pard\intbl Name\cell Price\cell\row\pard\intbl Crab\cell 12\cell\row\pard Last\par`;
  expect(await extractRtf(body)).toEqual([
    { kind: "heading", level: 1, title: "Harbor", text: "Harbor" },
    { kind: "text", text: "Ships and boats\nend" },
    {
      kind: "table",
      rows: [
        ["Name", "Price"],
        ["Crab", "12"],
      ],
    },
    { kind: "text", text: "Last" },
  ]);
});

it("extractFile() with an RTF file decodes the character sets of fonts, Unicode characters and binary data", async () => {
  const body = String.raw`{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}\f0 H\'e4fen {\f1 \'cf\'ee\'f0\'f2} {\f2 \'8d\'60} \u28207?\u-10179\'3f\u-8704? {\pict\bin4 }}}}}\emdash\~{\*\unknown x}{\v hidden}`;
  expect(await extractRtf(body)).toEqual([{ kind: "text", text: "Häfen Порт 港 港😀 —" }]);
});

it("extractFile() with an RTF file returns the declared title", async () => {
  const file = Buffer.from(String.raw`{\rtf1\ansi{\info{\title Harbor rules}{\author Ada}}Text\par}`);
  expect(await extractFile(file, "rtf")).toMatchObject({ title: "Harbor rules", segments: [{ text: "Text" }] });
});

it("extractFile() with a message of Outlook returns subject, sender, text and attachments", async () => {
  const file = createMsg({
    subject: "Harbor",
    body: "The harbor opens.",
    sender: "Ada",
    attachments: [["a.txt", "At dawn."]],
  });
  expect(await extract(file, "msg")).toEqual([
    { kind: "heading", level: 1, title: "Harbor", text: "Harbor" },
    { kind: "text", text: "From: Ada\nAttachments: a.txt" },
    { kind: "text", text: "The harbor opens." },
    { kind: "heading", level: 1, title: "a.txt", text: "a.txt" },
    { kind: "text", text: "At dawn." },
  ]);
});

it("extractFile() with a message of Outlook returns headings of the text in HTML", async () => {
  const html = "<h2>Opening hours</h2><p>At dawn.</p>";
  const file = createMsg({ subject: "Harbor", body: "", html, sender: "Ada", attachments: [] });
  expect(await extract(file, "msg")).toContainEqual({
    kind: "heading",
    level: 2,
    title: "Opening hours",
    text: "Opening hours",
  });
});

it("extractFile() with a message of Outlook fails for another file of the same container format", async () => {
  const file = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(2_048)]);
  await expect(extractFile(file, "msg")).rejects.toMatchObject({ code: "mislabeled" });
});

it("extractFile() with a presentation returns the titles and values of charts", async () => {
  const points = (values: readonly string[]) =>
    values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join("");
  const chart = `<c:chart><c:title><a:p><a:r><a:t>Ships per year</a:t></a:r></a:p></c:title><c:ser><c:tx><c:pt idx="0"><c:v>Ferries</c:v></c:pt></c:tx><c:cat>${points(["2025", "2026"])}</c:cat><c:val>${points(["4", "7"])}</c:val></c:ser></c:chart>`;
  expect(await extract(createPptx([pptxShape("Traffic", "title")], chart), "pptx")).toEqual([
    { kind: "heading", level: 2, title: "Traffic", text: "Traffic", page: 1 },
    { kind: "text", text: "Ships per year", page: 1 },
    {
      kind: "table",
      rows: [
        ["", "Ferries"],
        ["2025", "4"],
        ["2026", "7"],
      ],
      page: 1,
    },
  ]);
});
