import type { DocumentType } from "#shared/files/file-types.ts";
import { createMsg } from "./msg.ts";
import { createBomb, createNestedForms, writePdf, writePdfPages } from "./pdf-objects.ts";
import {
  createDocx,
  createEmail,
  createEpub,
  createOdf,
  createPdf,
  createPptx,
  createXlsx,
  docxParagraph,
  pptxShape,
} from "./sample-files.ts";
import { writeZip } from "./zip.ts";

const zeros = (megabytes: number) => Buffer.alloc(megabytes * 1_048_576, 32);
const text = (content: string) => Buffer.from(content);
const truncate = (file: Uint8Array, share: number) => file.subarray(0, Math.floor(file.length * share));

/** Overwrites every n-th byte after the first eight, which identify the file type. */
function damage(file: Uint8Array, every: number): Uint8Array {
  const copy = Uint8Array.from(file);
  for (let position = 8; position < copy.length; position += every) copy[position] = (copy[position] ?? 0) ^ 0x5a;
  return copy;
}

const docx = createDocx(docxParagraph("Text of the document".repeat(50)));
const pptx = createPptx([pptxShape("Text")]);
const xlsx = createXlsx("<row><c t='str'><v>x</v></c></row>");
const epub = createEpub(["<p>Text</p>"]);
const pdf = createPdf(["Text"]);
const msg = createMsg({ subject: "Harbor", body: "Text ".repeat(2_000), sender: "Ada", attachments: [["a.txt", "x"]] });

/** Lets each sector of a compound file refer to itself as the next one. */
function createMsgRing(): Uint8Array {
  const copy = Buffer.from(msg);
  const table = (copy.readInt32LE(76) + 1) * 512;
  for (let sector = 0; sector < 128; sector++) copy.writeInt32LE(sector, table + sector * 4);
  return copy;
}

const form = "/XObject << /X 5 0 R >>";
const entities = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 20 }, (_, n) => `<!ENTITY e${n} "${`&e${n - 1};`.repeat(10)}">`).join("")}]>`;
const external = `<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY % net SYSTEM "http://127.0.0.1:1/x">%net;]>`;
const withBody = (prolog: string, reference: string) => ({
  "word/document.xml": `<?xml version="1.0"?>${prolog}<w:document><w:body>${docxParagraph(`before ${reference} after`)}</w:body></w:document>`,
});

/** Outcome of a hostile file: the code of its failure, or `harmless` if its visible text is extracted and nothing else. */
type Outcome = "harmless" | string;

/** Files that take seconds to create and to read; others reach the same limits sooner. */
export const slowFiles: ReadonlySet<string> = new Set([
  "a bomb of many chapters",
  "forms that show a billion letters",
  "a page of 400 MB of operators",
  "a page of 400 MB of spaces",
  "1,500 pages of 20 MB of operators",
  "a damaged PDF of 500,000 words xref",
  "messages in messages of 9 MB",
  "100,000 messages in a message",
  "an RTF file of 10 MB of control words",
  "an RTF file of a million rows",
  "an OpenDocument file of 300 MB",
]);

/** Hostile and damaged files with the outcomes that are acceptable. */
export const hostileFiles: readonly (readonly [
  name: string,
  type: DocumentType,
  create: () => Uint8Array,
  outcomes: readonly Outcome[],
])[] = [
  ["an empty PDF", "pdf", () => text(""), ["empty"]],
  ["an empty Word document", "docx", () => text(""), ["empty"]],
  ["an empty text", "text", () => text(" \n\t\n "), ["empty"]],
  ["a Word document without text", "docx", () => createDocx(""), ["empty"]],
  ["a presentation without slides", "pptx", () => createPptx([]), ["empty"]],
  ["a workbook without cells", "xlsx", () => createXlsx(""), ["empty"]],
  ["a book without chapters", "epub", () => createEpub([]), ["empty"]],
  ["a table without values", "csv", () => text(",,,\n,,,\n"), ["empty"]],
  ["a page with hidden text only", "html", () => text("<p hidden>x</p><script>y</script>"), ["empty"]],
  ["an e-mail without content", "email", () => text("\r\n\r\n"), ["corrupt", "empty"]],
  ["a PDF without text", "pdf", () => createPdf(["", "", ""]), ["empty"]],
  ["an encrypted PDF", "pdf", () => createPdf(["x"], { isEncrypted: true }), ["encrypted"]],
  [
    "an encrypted Office file",
    "docx",
    () =>
      Buffer.concat([
        Buffer.from("d0cf11e0a1b11ae1", "hex"),
        Buffer.alloc(512),
        Buffer.from("EncryptedPackage", "utf16le"),
      ]),
    ["encrypted"],
  ],
  [
    "an old Office file",
    "docx",
    () => Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(2_048)]),
    ["mislabeled"],
  ],
  [
    "an archive with encrypted entries",
    "docx",
    () => createDocx("", { "word/document.xml": { content: "x", isEncrypted: true } }),
    ["encrypted", "corrupt"],
  ],
  [
    "a book with protected chapters",
    "epub",
    () =>
      createEpub(["x"], {
        "META-INF/encryption.xml": '<e><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/></e>',
      }),
    ["encrypted"],
  ],
  ["a book with a rights file", "epub", () => createEpub(["x"], { "META-INF/rights.xml": "<rights/>" }), ["encrypted"]],
  ["a PDF cut in half", "pdf", () => truncate(pdf, 0.5), ["corrupt", "empty", "harmless"]],
  ["the header of a PDF", "pdf", () => text("%PDF-1.7\n"), ["corrupt"]],
  ["a PDF of random bytes", "pdf", () => Buffer.concat([text("%PDF-1.7\n"), damage(zeros(1), 3)]), ["corrupt"]],
  ["a damaged PDF", "pdf", () => damage(pdf, 17), ["corrupt", "empty", "harmless", "encrypted", "mislabeled"]],
  ["a Word document cut in half", "docx", () => truncate(docx, 0.5), ["corrupt"]],
  ["a damaged Word document", "docx", () => damage(docx, 11), ["corrupt", "suspicious", "mislabeled"]],
  ["a presentation cut in half", "pptx", () => truncate(pptx, 0.5), ["corrupt"]],
  ["a workbook cut in half", "xlsx", () => truncate(xlsx, 0.5), ["corrupt"]],
  ["a book cut in half", "epub", () => truncate(epub, 0.5), ["corrupt"]],
  ["an archive without content", "docx", () => writeZip({}), ["corrupt"]],
  ["an archive of something else", "docx", () => writeZip({ "a.txt": "x" }), ["corrupt"]],
  [
    "a Word document without its body",
    "docx",
    () => writeZip({ "[Content_Types].xml": "x", "word/styles.xml": "x" }),
    ["corrupt"],
  ],
  [
    "a Word document of broken XML",
    "docx",
    () => createDocx("", { "word/document.xml": "<w:document><w:p><w:t>lost" }),
    ["corrupt", "empty", "harmless"],
  ],
  ["a book without its package", "epub", () => writeZip({ "META-INF/container.xml": "<container/>" }), ["corrupt"]],
  ["a Word document named as PDF", "pdf", () => docx, ["mislabeled"]],
  ["a PDF named as Word document", "docx", () => pdf, ["mislabeled"]],
  ["a workbook named as presentation", "pptx", () => xlsx, ["mislabeled"]],
  ["a picture named as text", "text", () => Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), ["mislabeled"]],
  [
    "a program named as Markdown",
    "markdown",
    () => Buffer.concat([Buffer.from("7f454c46020101", "hex"), Buffer.alloc(900)]),
    ["mislabeled"],
  ],
  ["a web page named as PDF", "pdf", () => text("<html><body>Hello</body></html>"), ["mislabeled"]],
  ["an archive named as CSV", "csv", () => docx, ["mislabeled"]],
  [
    "binary data named as e-mail",
    "email",
    () => Buffer.alloc(5_000, 1),
    ["corrupt", "empty", "mislabeled", "harmless"],
  ],
  [
    "a bomb of 300 MB in one entry",
    "docx",
    () => createDocx("", { "word/document.xml": { content: zeros(300) } }),
    ["suspicious"],
  ],
  [
    "a bomb that declares a small size",
    "docx",
    () => createDocx("", { "word/document.xml": { content: zeros(80), declaredSize: 1_000 } }),
    ["corrupt"],
  ],
  [
    "a bomb that declares a large size",
    "docx",
    () => createDocx("", { "word/document.xml": { content: "x", declaredSize: 2 ** 31 } }),
    ["suspicious"],
  ],
  [
    "a bomb of many entries",
    "epub",
    () => writeZip({ ...Object.fromEntries(Array.from({ length: 21_000 }, (_, n) => [`x${n}`, ""])) }),
    ["suspicious"],
  ],
  [
    "a bomb of many chapters",
    "epub",
    () => createEpub(Array.from({ length: 8 }, () => `<p>${"x ".repeat(6_000_000)}</p>`)),
    // On a busy machine, extraction reaches its time limit first.
    ["too_large", "suspicious", "timed_out"],
  ],
  [
    "a bomb in the shared strings",
    "xlsx",
    () => createXlsx("<row><c t='s'><v>0</v></c></row>".repeat(400), ["x".repeat(20_000)]),
    ["too_large"],
  ],
  ["nested entities", "docx", () => createDocx("", withBody(entities, "&e19;")), ["harmless"]],
  ["external entities", "docx", () => createDocx("", withBody(external, "&file;")), ["harmless"]],
  ["entities in a workbook", "xlsx", () => createXlsx(`<row><c t="str"><v>&file;</v></c></row>`, []), ["harmless"]],
  [
    "external references in a book",
    "epub",
    () =>
      createEpub([
        `<p>Text</p><img src="http://127.0.0.1:1/x"/><iframe src="file:///etc/passwd"></iframe><link rel="stylesheet" href="http://127.0.0.1:1/"/>`,
      ]),
    ["harmless"],
  ],
  [
    "a path outside the archive",
    "epub",
    () => writeZip({ "META-INF/container.xml": `<c><rootfile full-path="../../../etc/passwd"/></c>` }),
    ["corrupt"],
  ],
  [
    "an entry with a path outside",
    "docx",
    () => writeZip({ "../../evil": "x", "[Content_Types].xml": "x", "word/document.xml": "x" }),
    ["corrupt"],
  ],
  [
    "scripts in a PDF",
    "pdf",
    () =>
      createPdf(["Text"], { extra: "/OpenAction << /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1:1/'\\)) >>" }),
    ["harmless"],
  ],
  [
    "scripts in a page",
    "html",
    () => text("<p>Text</p><script>fetch('http://127.0.0.1:1/')</script><svg onload=alert(1)>"),
    ["harmless"],
  ],
  [
    "a PDF of 10,000 pages",
    "pdf",
    () => createPdf(Array.from({ length: 10_000 }, (_, n) => `Page ${n}`)),
    ["too_many_pages"],
  ],
  [
    "a presentation of 10,000 slides",
    "pptx",
    () => createPptx(Array.from({ length: 4_000 }, () => "")),
    ["too_many_pages"],
  ],
  [
    "a PDF whose pages are their own parent",
    "pdf",
    () =>
      Buffer.from(
        Buffer.from(createPdf(["x"]))
          .toString("latin1")
          .replace("/Kids [4 0 R]", "/Kids [2 0 R]"),
        "latin1",
      ),
    ["corrupt", "empty"],
  ],
  [
    "a PDF that declares a million pages",
    "pdf",
    () =>
      Buffer.from(
        Buffer.from(createPdf(["x"]))
          .toString("latin1")
          .replace("/Count 1 ", "/Count 1000000 "),
        "latin1",
      ),
    ["too_many_pages", "corrupt", "harmless"],
  ],
  [
    "deeply nested XML",
    "docx",
    () => createDocx(`${"<w:tbl><w:tr><w:tc>".repeat(100_000)}<w:p><w:r><w:t>x</w:t></w:r></w:p>`),
    ["harmless", "empty", "corrupt"],
  ],
  ["deeply nested HTML", "html", () => text(`${"<div>".repeat(300_000)}x`), ["harmless"]],
  [
    "deeply nested e-mail parts",
    "email",
    () =>
      text(
        Array.from({ length: 500 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`).join(
          "",
        ),
      ),
    ["corrupt", "harmless"],
  ],
  [
    "an e-mail with an archive of zeros attached",
    "email",
    () =>
      createEmail("Bomb", "Text", [
        { name: "bomb.docx", content: createDocx("", { "word/document.xml": { content: zeros(70) } }) },
      ]),
    ["harmless"],
  ],
  [
    "e-mails in e-mails",
    "email",
    () => {
      let email = createEmail("Innermost", "root:", []);
      for (let level = 0; level < 12; level++) {
        email = createEmail(`Level ${level}`, "Text", [
          { name: "next.eml", content: email, mediaType: "message/rfc822" },
        ]);
      }
      return email;
    },
    ["harmless"],
  ],
  ["an endless e-mail header", "email", () => text(`Subject: ${"x\r\n ".repeat(600_000)}`), ["corrupt", "harmless"]],
  [
    "a table of a million columns",
    "csv",
    () => text(`${"a,".repeat(1_000_000)}\n${"1,".repeat(1_000_000)}`),
    ["harmless", "too_large"],
  ],
  ["an unclosed quote", "csv", () => text(`a,b\n"${"x,".repeat(1_000_000)}`), ["harmless", "too_large"]],
  ["a text of ten million characters", "text", () => text("word ".repeat(2_000_000)), ["too_large"]],
  [
    "a cell far to the right",
    "xlsx",
    () => createXlsx(`<row><c r="XFD1" t="str"><v>x</v></c><c r="A2" t="str"><v>y</v></c></row>`),
    ["harmless"],
  ],
  [
    "forms that show a billion letters",
    "pdf",
    () => writePdfPages([4], [{ content: "/X Do" }, ...createNestedForms(9, 5)], form),
    ["too_large", "timed_out"],
  ],
  [
    "a form that shows itself",
    "pdf",
    () =>
      writePdfPages(
        [4],
        [
          { content: "/X Do" },
          {
            dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << ${form} >>`,
            content: "/X Do /X Do",
          },
        ],
        form,
      ),
    ["empty"],
  ],
  ["a page of 400 MB of operators", "pdf", () => writePdfPages([4], [createBomb(400, "q Q ")]), ["out_of_memory"]],
  ["a page of 400 MB of spaces", "pdf", () => writePdfPages([4], [createBomb(400, " ")]), ["out_of_memory"]],
  [
    "1,500 pages of 20 MB of operators",
    "pdf",
    () => writePdfPages(Array(1_500).fill(4), [createBomb(20, "q Q ")]),
    ["timed_out", "out_of_memory"],
  ],
  [
    "pages in pages",
    "pdf",
    () =>
      writePdf([
        "<< /Type /Catalog /Pages 2 0 R >>",
        ...Array.from({ length: 50_000 }, (_, n) => `<< /Type /Pages /Kids [${n + 3} 0 R] /Count 1 >>`),
      ]),
    ["corrupt", "empty"],
  ],
  [
    "a page of nested arrays",
    "pdf",
    () => writePdfPages([4], [{ content: "[".repeat(200_000) }]),
    ["empty", "corrupt"],
  ],
  [
    "a damaged PDF of 500,000 words xref",
    "pdf",
    () => writePdfPages([4], [{ content: `BT /F1 9 Tf ${"( xref ) Tj ".repeat(500_000)}` }], "", { tableOffset: 5 }),
    ["harmless", "too_large"],
  ],
  [
    "messages in messages of 9 MB",
    "email",
    () => text("Content-Type: message/rfc822\r\n\r\n".repeat(290_000)),
    ["harmless"],
  ],
  [
    "100,000 messages in a message",
    "email",
    () =>
      text(`Content-Type: multipart/digest; boundary=b\r\n\r\n${"--b\r\n\r\nSubject: x\r\n\r\ny\r\n".repeat(100_000)}`),
    ["harmless", "corrupt"],
  ],
  ["a message of 3,000,000 lines", "email", () => text(`Subject: x\r\n\r\n${"\n".repeat(3_000_000)}`), ["too_large"]],
  ["groups in groups", "rtf", () => text(`{\\rtf1 ${"{a".repeat(2_000_000)}`), ["corrupt"]],
  [
    "an RTF file of 10 MB of control words",
    "rtf",
    () => text(`{\\rtf1 ${"\\b\\'e4\\u1?".repeat(1_000_000)}}`),
    ["harmless", "too_large"],
  ],
  ["binary data of 4 GB that is not there", "rtf", () => text("{\\rtf1 a\\par\\bin4000000000 b}"), ["harmless"]],
  [
    "an RTF file of a million rows",
    "rtf",
    () => text(`{\\rtf1 ${"\\trowd x\\cell\\row".repeat(1_000_000)}}`),
    ["too_large"],
  ],
  ["an RTF file cut in half", "rtf", () => text("{\\rtf1\\ansi{\\fonttbl{\\f0"), ["empty"]],
  [
    "a sheet of repeated cells",
    "ods",
    () =>
      createOdf(
        "ods",
        `<table:table>${`<table:table-row><table:table-cell table:number-columns-repeated="999999"><text:p>${"x".repeat(99)}</text:p></table:table-cell></table:table-row>`.repeat(5_000)}</table:table>`,
      ),
    ["too_large"],
  ],
  [
    "an OpenDocument file of 300 MB",
    "odt",
    () => writeZip({ mimetype: "application/vnd.oasis.opendocument.text", "content.xml": { content: zeros(300) } }),
    ["suspicious"],
  ],
  ["frames in frames", "odt", () => createOdf("odt", "<text:p><draw:frame>".repeat(50_000)), ["corrupt"]],
  [
    "an encrypted OpenDocument file",
    "odt",
    () =>
      writeZip({
        mimetype: "application/vnd.oasis.opendocument.text",
        "content.xml": "x",
        "META-INF/manifest.xml": "<manifest:encryption-data/>",
      }),
    ["encrypted"],
  ],
  ["a message of Outlook whose sectors form a ring", "msg", createMsgRing, ["corrupt"]],
  ["a message of Outlook cut in half", "msg", () => truncate(msg, 0.5), ["corrupt", "harmless", "mislabeled"]],
  [
    "a damaged message of Outlook",
    "msg",
    () => damage(msg, 97),
    ["corrupt", "harmless", "mislabeled", "out_of_memory", "timed_out"],
  ],
];
