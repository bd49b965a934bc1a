import { isUtf8 } from "node:buffer";
import { detectEncoding } from "./detect-encoding.ts";
import { ExtractionError } from "./extraction-error.ts";

/** Matches control characters other than white space, which indicate binary data. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: binary data is recognized by these characters
const controlCharacters = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/g;

/** Maximum share of control characters in a text. With more, the file is binary. */
const MAX_CONTROL_SHARE = 0.01;

/** Byte order marks by encoding. */
const byteOrderMarks = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

const countControls = (text: string) => text.match(controlCharacters)?.length ?? 0;

/** @throws ExtractionError `unknown_encoding`, `mislabeled` if the file is binary */
function decodeStrictly(file: Uint8Array): string {
  const mark = byteOrderMarks.find(({ bytes }) => bytes.every((byte, index) => file[index] === byte));
  if (mark) return new TextDecoder(mark.encoding).decode(file);
  const encoding = isUtf8(file) ? "utf-8" : detectEncoding(file);
  if (encoding !== undefined) return new TextDecoder(encoding).decode(file);
  const isBinary = countControls(new TextDecoder("latin1").decode(file)) > file.length * MAX_CONTROL_SHARE;
  throw new ExtractionError(isBinary ? "mislabeled" : "unknown_encoding");
}

/**
 * Decodes a text file by its byte order mark, or else as UTF-8 or, if it is not valid UTF-8, in the encoding that is detected.
 * Control characters become spaces.
 * @throws ExtractionError `mislabeled` if the file is binary, `unknown_encoding` if several encodings are as likely
 */
export function decodeText(file: Uint8Array): string {
  const text = decodeStrictly(file);
  if (countControls(text) > text.length * MAX_CONTROL_SHARE) throw new ExtractionError("mislabeled");
  return text.replace(controlCharacters, " ");
}

/** Matches the character set that a web page declares at its start. */
const declaredCharset = /<meta[^<>]+charset\s*=\s*["']?([\w-]+)/i;

/**
 * Decodes a web page by its declared character set; without one, or with an unknown one, like a text file.
 * @throws ExtractionError `mislabeled` if the file is binary
 */
export function decodeHtml(file: Uint8Array): string {
  const start = new TextDecoder("latin1").decode(file.subarray(0, 1_024));
  const charset = declaredCharset.exec(start)?.[1];
  if (!charset || /^utf-?(8|16)/i.test(charset)) return decodeText(file);
  try {
    return new TextDecoder(charset).decode(file).replace(controlCharacters, " ");
  } catch {
    return decodeText(file);
  }
}
