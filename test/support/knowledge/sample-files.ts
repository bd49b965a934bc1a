import { writeZip, type ZipEntry } from "./zip.ts";

const relationships = (entries: string) =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries}</Relationships>`;

const relationship = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;

/** Creates a Word document from the content of its body. */
export function createDocx(body: string, others: Readonly<Record<string, string | ZipEntry>> = {}): Uint8Array {
  return writeZip({
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": relationships(relationship("rId1", "officeDocument", "word/document.xml")),
    "word/styles.xml": `<w:styles xmlns:w="w"><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    "word/document.xml": `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    ...others,
  });
}

/** Returns a paragraph of a Word document. */
export const docxParagraph = (text: string, style = ""): string =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Creates an OpenDocument file from the content of its body. */
export function createOdf(kind: "odt" | "ods" | "odp", body: string): Uint8Array {
  const name = { odt: "text", ods: "spreadsheet", odp: "presentation" }[kind];
  return writeZip({
    mimetype: `application/vnd.oasis.opendocument.${name}`,
    "content.xml": `<office:document-content><office:body><office:${name}>${body}</office:${name}></office:body></office:document-content>`,
    "META-INF/manifest.xml": "<manifest:manifest/>",
  });
}

/**
 * Creates a presentation from the shapes of its slides.
 * @param chart chart of the first slide
 */
export function createPptx(slides: readonly string[], chart = ""): Uint8Array {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join("");
  const targets = slides.map((_, index) => relationship(`rId${index + 1}`, "slide", `slides/slide${index + 1}.xml`));
  return writeZip({
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": relationships(relationship("rId1", "officeDocument", "ppt/presentation.xml")),
    "ppt/presentation.xml": `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships(targets.join("")),
    ...Object.fromEntries(
      slides.map((slide, index) => [
        `ppt/slides/slide${index + 1}.xml`,
        `<p:sld xmlns:p="p" xmlns:a="a">${slide}</p:sld>`,
      ]),
    ),
    ...(chart && {
      "ppt/slides/_rels/slide1.xml.rels": relationships(relationship("rId1", "chart", "../charts/chart1.xml")),
      "ppt/charts/chart1.xml": `<c:chartSpace xmlns:c="c" xmlns:a="a">${chart}</c:chartSpace>`,
    }),
  });
}

/** Returns a shape of a slide with one paragraph. */
export const pptxShape = (text: string, placeholder = ""): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder && `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

/**
 * Creates a workbook with one sheet from the content of its `sheetData`.
 * @param drawing content of the sheet's drawing
 * @param folder folder of the archive that contains the workbook's files
 */
export function createXlsx(
  sheetData: string,
  sharedStrings: readonly string[] = [],
  drawing = "",
  folder = "xl/",
  styles = `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
): Uint8Array {
  return writeZip({
    "[Content_Types].xml": `<Types><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${folder}workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
    "_rels/.rels": relationships(relationship("rId1", "officeDocument", `/${folder}workbook.xml`)),
    [`${folder}workbook.xml`]: `<workbook xmlns:r="r"><sheets><sheet name="Prices" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    [`${folder}_rels/workbook.xml.rels`]: relationships(
      relationship("rId1", "worksheet", "worksheets/sheet1.xml") +
        relationship("rId2", "sharedStrings", "sharedStrings.xml") +
        relationship("rId3", "styles", "styles.xml"),
    ),
    [`${folder}styles.xml`]: styles,
    [`${folder}sharedStrings.xml`]: `<sst>${sharedStrings.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
    [`${folder}worksheets/sheet1.xml`]: `<worksheet><sheetData>${sheetData}</sheetData></worksheet>`,
    ...(drawing && {
      [`${folder}worksheets/_rels/sheet1.xml.rels`]: relationships(
        relationship("rId1", "drawing", "../drawings/drawing1.xml"),
      ),
      [`${folder}drawings/drawing1.xml`]: `<xdr:wsDr xmlns:xdr="xdr" xmlns:a="a">${drawing}</xdr:wsDr>`,
    }),
  });
}

/** File that is attached to an e-mail. */
export interface SampleAttachment {
  readonly name: string;
  readonly content: Uint8Array | string;
  readonly mediaType?: string;
}

/** Creates an e-mail with attachments. */
export function createEmail(subject: string, text: string, attachments: readonly SampleAttachment[]): Uint8Array {
  const parts = attachments.map(
    ({ name, content, mediaType = "application/octet-stream" }) =>
      `--part\r\nContent-Type: ${mediaType}\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString("base64")}\r\n`,
  );
  const boundary = `part-${attachments.length}-${subject.length}-${subject.replace(/\W/g, "")}`;
  const body = `--part\r\nContent-Type: text/plain\r\n\r\n${text}\r\n${parts.join("")}--part--\r\n`;
  const head = `From: ada@example.com\r\nSubject: ${subject}\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`;
  return Buffer.from(head + body.replaceAll("--part", `--${boundary}`));
}

/**
 * Creates an EPUB book from the bodies of its chapters.
 * @param manifest further items
 * @param leadingSpine further references to items, before the chapters
 */
export function createEpub(
  chapters: readonly string[],
  others: Readonly<Record<string, string>> = {},
  manifest = "",
  leadingSpine = "",
): Uint8Array {
  const items = chapters.map((_, index) => `<item id="c${index}" href="text/chapter%20${index}.xhtml"/>`).join("");
  const spine = chapters.map((_, index) => `<itemref idref="c${index}"/>`).join("");
  return writeZip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>`,
    "OEBPS/content.opf": `<package><metadata><dc:title>The Book</dc:title></metadata><manifest>${manifest}${items}</manifest><spine>${leadingSpine}${spine}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((body, index) => [`OEBPS/text/chapter ${index}.xhtml`, `<html><body>${body}</body></html>`]),
    ),
    ...others,
  });
}

/** Returns the text of a PDF page that shows rows of cells, each row 16 points below the other. */
export const pdfRows = (rows: readonly (readonly [x: number, text: string][])[]): string =>
  rows
    .map((cells, row) => cells.map(([x, text]) => `) Tj 1 0 0 1 ${x} ${700 - 16 * row} Tm (${text}`).join(""))
    .join("");

/**
 * Creates a PDF file with one line of text on each page.
 * @param options `isEncrypted` adds an encryption dictionary, `extra` adds entries to the catalog
 */
export function createPdf(
  pages: readonly string[],
  { isEncrypted = false, extra = "" }: { readonly isEncrypted?: boolean; readonly extra?: string } = {},
): Uint8Array {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${extra} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, index) => {
      const content = text === "" ? "" : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const hash = "A".repeat(64);
  const encryption = isEncrypted
    ? `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${hash}> /U <${hash}> >> /ID [<00><00>]`
    : "";
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${encryption} >>\nstartxref\n${start}\n%%EOF`;
  return Buffer.from(text, "latin1");
}
