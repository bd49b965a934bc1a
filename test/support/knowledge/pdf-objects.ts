import { deflateSync } from "node:zlib";

/** Stream of a PDF file: entries of its dictionary, and its content. */
export interface PdfStream {
  readonly dictionary?: string;
  readonly content: string | Uint8Array;
}

/** Object of a PDF file, numbered from 1. */
export type PdfObject = string | PdfStream;

/**
 * Writes a PDF file of any objects; the first one is the catalog.
 * @param options `tableOffset` is added to the position at which the file declares its object table
 */
export function writePdf(
  objects: readonly PdfObject[],
  { trailer = "", tableOffset = 0 }: { readonly trailer?: string; readonly tableOffset?: number } = {},
): Uint8Array {
  const parts: Buffer[] = [Buffer.from("%PDF-1.5\n")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    const { dictionary = "", content = "" } = typeof object === "string" ? {} : object;
    const bytes = Buffer.from(content);
    const body =
      typeof object === "string"
        ? [Buffer.from(object)]
        : [Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`), bytes, Buffer.from("\nendstream")];
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), ...body, Buffer.from("\nendobj\n")]);
    offsets.push(length);
    length += part.length;
    parts.push(part);
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\n`;
  return Buffer.concat([...parts, Buffer.from(`${table}startxref\n${length + tableOffset}\n%%EOF`)]);
}

/**
 * Writes a PDF file of pages with the same resources.
 * @param contents references to the contents of the pages. Object 2 is the page tree, object 3 the font F1; pages follow the others.
 */
export function writePdfPages(
  contents: readonly number[],
  others: readonly PdfObject[],
  resources = "",
  options: Parameters<typeof writePdf>[1] = {},
): Uint8Array {
  const first = 4 + others.length;
  const kids = contents.map((_, index) => `${first + index} 0 R`).join(" ");
  return writePdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> ${resources} >> >>`,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      ...others,
      ...contents.map((content) => `<< /Type /Page /Parent 2 0 R /Contents ${content} 0 R >>`),
    ],
    options,
  );
}

/** Creates a stream that is compressed twice, which makes megabytes of repeated text a few kilobytes. */
export function createBomb(megabytes: number, text: string): PdfStream {
  const compress = (bytes: Uint8Array) => deflateSync(bytes, { level: 9 });
  const content = compress(compress(Buffer.alloc(megabytes * 1_048_576, text)));
  return { dictionary: "/Filter [/FlateDecode /FlateDecode]", content };
}

/** Creates forms each of which shows the next one ten times; the last one shows a text. The first is object `start`. */
export function createNestedForms(levels: number, start: number): PdfObject[] {
  return Array.from({ length: levels }, (_, level) => ({
    dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> /XObject << /X ${start + level + 1} 0 R >> >>`,
    content: (level === levels - 1 ? "BT /F1 9 Tf (x) Tj ET " : "/X Do ").repeat(10),
  }));
}
