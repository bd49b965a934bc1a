import PostalMime, { type Address } from "postal-mime";
import { toHtmlSegments } from "../indexing/html-segments.ts";
import { type Segment, toPlainSegments } from "../indexing/segments.ts";
import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError } from "./extraction-error.ts";

/** Maximum nesting of parts, which bounds the recursion of the parser. */
const MAX_NESTING = 64;
/** Maximum size of the headers of one part. */
const MAX_HEADER_BYTES = 1_048_576;

const toAddressText = ({ name, address }: Address) =>
  name && address ? `${name} <${address}>` : name || address || "";

/** Extracts subject, people, date, body and the names of the attachments of an e-mail message. */
export async function extractEmail(file: Uint8Array): Promise<ExtractedFile> {
  const email = await PostalMime.parse(file, {
    maxNestingDepth: MAX_NESTING,
    maxHeadersSize: MAX_HEADER_BYTES,
  }).catch(() => {
    throw new ExtractionError("corrupt");
  });
  const subject = email.subject?.trim() ?? "";
  const fields = [
    ["From", email.from ? toAddressText(email.from) : ""],
    ["To", (email.to ?? []).map(toAddressText).join(", ")],
    ["Cc", (email.cc ?? []).map(toAddressText).join(", ")],
    ["Date", email.date ?? ""],
    ["Attachments", email.attachments.map(({ filename }) => filename ?? "unnamed").join(", ")],
  ];
  const header = fields.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join("\n");
  const text = email.text?.trim();
  const body = text ? toPlainSegments(text.replace(/\r\n?/g, "\n")) : toHtmlSegments(email.html ?? "");
  if (header === "" && subject === "" && body.length === 0) throw new ExtractionError("corrupt");
  const heading: Segment[] = subject ? [{ kind: "heading", level: 1, title: subject, text: subject }] : [];
  const segments = [...heading, ...(header ? [{ kind: "text" as const, text: header }] : []), ...body];
  return { segments, pageCount: null, ...(subject && { title: subject }) };
}
