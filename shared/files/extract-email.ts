import PostalMime, { type Address, type Attachment } from "postal-mime";
import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError } from "./extraction-error.ts";
import { MAX_EXTRACTED_TEXT_LENGTH } from "./extraction-limits.ts";
import { type DocumentType, findDocumentType } from "./file-types.ts";
import { parseMsg } from "./parse-msg.ts";
import type { EmailAttachment, ParsedMessage } from "./parsed-message.ts";
import { toHtmlSegments } from "./segments/html-segments.ts";
import { type Segment, toPlainSegments } from "./segments/segments.ts";
import { toTextLength } from "./text-length.ts";

/** Maximum nesting of MIME parts, which limits the recursion of the parser. */
const MAX_NESTING = 64;
/** Maximum size of the headers of one MIME part, in bytes. */
const MAX_HEADER_BYTES = 1_048_576;
/** Maximum number of attachments that are read, including those of attached messages. */
const MAX_ATTACHMENTS = 20;
/** Maximum total size of the attachments that are read, in bytes. */
const MAX_ATTACHMENT_BYTES = 32 * 1_048_576;
/** Maximum nesting of attached messages. Messages attached to an attached message are not read. */
const MAX_MESSAGE_DEPTH = 1;
/** Maximum number of lines of a message. The parser needs up to 10 µs for each line, even an empty one. */
const MAX_LINES = 1_000_000;
/** Maximum number of lines of an attached message, because they are parsed twice. */
const MAX_ATTACHED_LINES = 200_000;
/** Maximum number of attachment names in the text. */
const MAX_NAMES = 200;

type MessageType = "email" | "msg";

/**
 * Extracts an attached file that is not a message.
 * @throws ExtractionError
 */
type AttachmentReader = (
  file: Uint8Array,
  type: Exclude<DocumentType, MessageType>,
) => ExtractedFile | Promise<ExtractedFile>;

/** Remaining limits of a message, which it shares with the messages attached to it. */
interface Budget {
  attachments: number;
  bytes: number;
  textLength: number;
}

const LINE_FEED = 0x0a;

const toAddressText = ({ name, address }: Address) =>
  name && address ? `${name} <${address}>` : name || address || "";

const toBytes = ({ content }: Attachment): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);

function countLines(file: Uint8Array): number {
  let lines = 1;
  for (let end = file.indexOf(LINE_FEED); end >= 0; end = file.indexOf(LINE_FEED, end + 1)) lines++;
  return lines;
}

function joinNames(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** Returns the content of an attachment below a heading with its name. */
function toSection(name: string, segments: readonly Segment[]): Segment[] {
  const nested = segments.map(
    (segment): Segment => (segment.kind === "heading" ? { ...segment, level: segment.level + 1 } : segment),
  );
  return [{ kind: "heading", level: 1, title: name, text: name }, ...nested];
}

/** Extracts an attachment as a section; null if it is not supported, cannot be read or exceeds the budget. */
async function readAttachment(
  attachment: EmailAttachment,
  depth: number,
  budget: Budget,
  read: AttachmentReader,
): Promise<Segment[] | null> {
  const { filename, mimeType } = attachment;
  const type = findDocumentType(filename ?? "", mimeType) ?? (mimeType === "message/rfc822" ? "email" : null);
  const isMessage = type === "email" || type === "msg";
  if (type === null || (isMessage && depth >= MAX_MESSAGE_DEPTH)) return null;
  const file = attachment.getContent();
  if (type === "email" && countLines(file) > MAX_ATTACHED_LINES) return null;
  if (budget.attachments === 0 || file.length > budget.bytes) return null;
  budget.attachments--;
  budget.bytes -= file.length;
  // Remember the budget: the text of an attached message includes the text of its own attachments, which deduct it as well.
  const textLength = budget.textLength;
  try {
    const extracted = isMessage ? await extractMessage(file, type, depth + 1, budget, read) : await read(file, type);
    const length = toTextLength(extracted.segments);
    const isUsed = length > 0 && length <= textLength;
    budget.textLength = isUsed ? textLength - length : textLength;
    if (!isUsed) return null;
    const names = [filename, isMessage ? extracted.title : ""].filter(Boolean);
    return toSection(names.join(": ") || "unnamed", extracted.segments);
  } catch (error) {
    if (error instanceof ExtractionError) return null;
    throw error;
  }
}

async function parseEmail(file: Uint8Array): Promise<ParsedMessage> {
  if (countLines(file) > MAX_LINES) throw new ExtractionError("too_large");
  const email = await PostalMime.parse(file, {
    maxNestingDepth: MAX_NESTING,
    maxHeadersSize: MAX_HEADER_BYTES,
    // The parser would read each line of a message again for each message around it.
    forceRfc822Attachments: true,
  }).catch(() => {
    throw new ExtractionError("corrupt");
  });
  const attachments = email.attachments.map((attachment) => ({
    filename: attachment.filename,
    mimeType: attachment.mimeType,
    related: attachment.related ?? false,
    getContent: () => toBytes(attachment),
  }));
  return { ...email, attachments };
}

async function extractMessage(
  file: Uint8Array,
  type: MessageType,
  depth: number,
  budget: Budget,
  read: AttachmentReader,
): Promise<ExtractedFile> {
  const email = type === "email" ? await parseEmail(file) : parseMsg(file);
  const subject = email.subject?.trim() ?? "";
  const sections: Segment[] = [];
  const unread: string[] = [];
  for (const attachment of email.attachments) {
    const section = await readAttachment(attachment, depth, budget, read);
    if (section) sections.push(...section);
    // Pictures in the text of the message are no documents.
    else if (!attachment.related) unread.push(attachment.filename || "unnamed");
  }
  const fields = [
    ["From", email.from ? toAddressText(email.from) : ""],
    ["To", (email.to ?? []).map(toAddressText).join(", ")],
    ["Cc", (email.cc ?? []).map(toAddressText).join(", ")],
    ["Date", email.date ?? ""],
    ["Attachments", joinNames(email.attachments.map(({ filename }) => filename || "unnamed"))],
    ["Attachments that are not indexed", joinNames(unread)],
  ];
  const header = fields.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join("\n");
  const text = email.text?.trim();
  const body = text ? toPlainSegments(text.replace(/\r\n?/g, "\n")) : toHtmlSegments(email.html ?? "");
  if (header === "" && subject === "" && body.length === 0) throw new ExtractionError("corrupt");
  const heading: Segment[] = subject ? [{ kind: "heading", level: 1, title: subject, text: subject }] : [];
  const segments = [...heading, ...(header ? [{ kind: "text" as const, text: header }] : []), ...body, ...sections];
  return { segments, pageCount: null, ...(subject && { title: subject }) };
}

/**
 * Extracts a message: subject, people, date, body, and each attachment as a section with its file name. Attachments
 * that cannot be read are only listed by name.
 * @param read extracts attachments that are not messages
 */
export const extractEmail = (file: Uint8Array, type: MessageType, read: AttachmentReader): Promise<ExtractedFile> =>
  extractMessage(
    file,
    type,
    0,
    { attachments: MAX_ATTACHMENTS, bytes: MAX_ATTACHMENT_BYTES, textLength: MAX_EXTRACTED_TEXT_LENGTH / 2 },
    read,
  );
