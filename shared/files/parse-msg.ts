import { decompressRTF } from "@kenjiuno/decompressrtf";
import msgReader from "@kenjiuno/msgreader";
import { checkCompoundFile } from "./check-compound-file.ts";
import { extractRtf } from "./extract-rtf.ts";
import { ExtractionError } from "./extraction-error.ts";
import type { ParsedMessage } from "./parsed-message.ts";

// The test runner returns the default export of a CommonJS module, Node.js the module.
const MsgReader = (msgReader.default ?? msgReader) as typeof msgReader.default;

/** Name of a stream that every Outlook message contains. */
const PROPERTIES = Buffer.from("__properties_version1.0", "utf16le");

const toBuffer = (bytes: Uint8Array) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

/** Returns the text of a compressed RTF body, without tables; empty if the body cannot be read. */
function readRtf(compressed: Uint8Array): string {
  try {
    const { segments } = extractRtf(Uint8Array.from(decompressRTF(Array.from(compressed))));
    return segments.map((segment) => (segment.kind === "table" ? "" : segment.text)).join("\n\n");
  } catch {
    return "";
  }
}

/**
 * Parses an Outlook message (`.msg`).
 * @throws ExtractionError `mislabeled` if the file is another compound file, `corrupt` if it is damaged
 */
export function parseMsg(file: Uint8Array): ParsedMessage {
  if (!Buffer.from(file.buffer, file.byteOffset, file.byteLength).includes(PROPERTIES)) {
    throw new ExtractionError("mislabeled");
  }
  checkCompoundFile(file);
  const reader = new MsgReader(toBuffer(file) as ArrayBuffer);
  const fields = reader.getFileData();
  if (fields.error) throw new ExtractionError("corrupt");
  const toAddresses = (type: string) =>
    (fields.recipients ?? [])
      .filter(({ recipType = "to" }) => recipType === type)
      .map(({ name = "", smtpAddress, email = "" }) => ({
        name,
        address: smtpAddress ?? (email.includes("@") ? email : ""),
      }));
  const address = fields.senderSmtpAddress ?? fields.creatorSMTPAddress ?? fields.senderEmail ?? "";
  const html = fields.bodyHtml ?? (fields.html ? new TextDecoder().decode(fields.html) : "");
  return {
    subject: fields.subject,
    from: { name: fields.senderName ?? "", address: address.includes("@") ? address : "" },
    to: toAddresses("to"),
    cc: toAddresses("cc"),
    date: fields.messageDeliveryTime ?? fields.clientSubmitTime,
    text: fields.body || (html || !fields.compressedRtf ? "" : readRtf(fields.compressedRtf)),
    html,
    attachments: (fields.attachments ?? []).map((attachment) => ({
      filename: attachment.fileName ?? attachment.name ?? null,
      mimeType: attachment.innerMsgContent ? "application/vnd.ms-outlook" : "",
      related: attachment.attachmentHidden ?? false,
      getContent: () => Uint8Array.from(reader.getAttachment(attachment).content),
    })),
  };
}
