import { crc32 } from "node:zlib";
import { ExtractionError } from "../extraction-error.ts";
import type { CleanImage } from "./image-types.ts";
import { readOrientation, toOrientationTiff } from "./orientation.ts";

export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Chunks to keep: those that decoders need, and those with colors and transparency. An animation becomes its first
 * image.
 */
const neededChunks: ReadonlySet<string> = new Set([
  ...["IHDR", "PLTE", "IDAT", "IEND"],
  ...["tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "bKGD", "pHYs"],
]);

function toChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, "latin1");
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/**
 * Copies a PNG image without its metadata, except the orientation. Data after the end is left out.
 * @throws ExtractionError `corrupt`
 */
export function cleanPng(file: Buffer): CleanImage {
  const parts: Buffer[] = [pngSignature];
  let dimensions: { readonly width: number; readonly height: number } | undefined;
  let hasData = false;
  let orientation = 1;
  for (let at = pngSignature.length; ; ) {
    if (at + 12 > file.length) throw new ExtractionError("corrupt");
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) throw new ExtractionError("corrupt");
    const type = file.toString("latin1", at + 4, at + 8);
    const data = file.subarray(at + 8, end - 4);
    if (type === "IHDR" && data.length === 13 && !dimensions) {
      dimensions = { width: data.readUInt32BE(0), height: data.readUInt32BE(4) };
    } else if (!dimensions || type === "IHDR") throw new ExtractionError("corrupt");
    if (type === "IDAT") hasData = true;
    if (type === "eXIf") orientation = readOrientation(data);
    if (neededChunks.has(type)) parts.push(file.subarray(at, end));
    at = end;
    if (type === "IEND") break;
  }
  if (!hasData) throw new ExtractionError("corrupt");
  if (orientation !== 1) parts.splice(2, 0, toChunk("eXIf", toOrientationTiff(orientation)));
  return { mediaType: "image/png", content: Buffer.concat(parts), ...dimensions };
}
