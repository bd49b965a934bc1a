import { isUtf8 } from "node:buffer";
import { ServiceError } from "../../lib/errors.ts";
import type { HttpRequest } from "../http-request.ts";

/** Returns the value of the parameter `charset` of a content type; undefined if it has none. */
const charsetOf = (contentType = ""): string | undefined => /;\s*charset\s*=\s*"?([^\s";,]+)/i.exec(contentType)?.[1];

/** Returns the encoding that the byte order mark of a text names; undefined if it has none. */
function encodingOfMark([first, second]: Buffer): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** Returns a decoder for an encoding. @throws ServiceError `unsupported_media_type` if its name is unknown */
function getDecoder(encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new ServiceError("unsupported_media_type", `The charset ${encoding} is not known. Send the body as UTF-8.`);
  }
}

/**
 * Decodes the text of a request body: as its byte order mark or the parameter `charset` says, otherwise as UTF-8. The byte order
 * mark is removed.
 * @param isLenient whether other bytes are read as Windows-1252 instead of being refused
 * @throws ServiceError `malformed_body` for bytes that are not text in the encoding, `unsupported_media_type` for a compressed
 * body or an unknown charset
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-8.1
 */
export function decodeBody({ headers, rawBody }: Pick<HttpRequest, "headers" | "rawBody">, isLenient: boolean): string {
  const compression = headers["content-encoding"]?.trim().toLowerCase() || "identity";
  if (compression !== "identity") {
    throw new ServiceError("unsupported_media_type", "Send the body without `Content-Encoding`.");
  }
  const encoding = encodingOfMark(rawBody) ?? charsetOf(headers["content-type"]) ?? "utf-8";
  if (/^utf-?8$/i.test(encoding)) {
    if (isUtf8(rawBody)) return rawBody.toString().replace(/^\uFEFF/, "");
    if (isLenient) return new TextDecoder("windows-1252").decode(rawBody);
    const remedy = "Send UTF-8, or name the encoding: `Content-Type: application/json; charset=iso-8859-1`.";
    throw new ServiceError("malformed_body", `The body is not UTF-8. ${remedy}`);
  }
  try {
    return getDecoder(encoding).decode(rawBody);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("malformed_body", `The body is not text in the charset ${encoding} that it names.`);
  }
}
