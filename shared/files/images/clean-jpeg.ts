import { ExtractionError } from "../extraction-error.ts";
import type { CleanImage } from "./image-types.ts";
import { readOrientation, toOrientationTiff } from "./orientation.ts";

const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

/** Returns true for markers without a segment: TEM and the restart markers. */
const isStandalone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);

/**
 * Returns true for markers of a frame, which contains the dimensions. Three markers in the range have other meanings.
 */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Returns true for segments that decoders need: tables, frames, scans, number of lines, restart interval. */
const isDecoded = (marker: number) =>
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) || (marker >= 0xda && marker <= 0xdf && marker !== 0xde);

const ICC_HEADER = "ICC_PROFILE\0";
const EXIF_HEADER = "Exif\0\0";

const startsWith = (segment: Buffer, header: string) => segment.toString("latin1", 0, header.length) === header;

const toSegment = (marker: number, payload: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([head, payload]);
};

/** Returns the position of the next marker after compressed scan data; the length of the file if there is none. */
function findScanEnd(file: Buffer, start: number): number {
  for (let at = file.indexOf(0xff, start); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !isStandalone(next)) return at;
  }
  return file.length;
}

/**
 * Copies a JPEG image without its metadata. The segments that decoders need, the color profile and the orientation
 * stay. Data after the end is left out.
 * @throws ExtractionError `corrupt`
 */
export function cleanJpeg(file: Buffer): CleanImage {
  const parts: Buffer[] = [Buffer.from([0xff, START_OF_IMAGE])];
  let dimensions: { readonly width: number; readonly height: number } | undefined;
  let hasScan = false;
  let orientation = 1;
  let at = 2;
  while (at < file.length) {
    if (file[at] !== 0xff) throw new ExtractionError("corrupt");
    const marker = file[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === END_OF_IMAGE) break;
    if (isStandalone(marker)) {
      at += 2;
      continue;
    }
    const length = at + 4 <= file.length ? file.readUInt16BE(at + 2) : 0;
    const end = at + 2 + length;
    if (length < 2 || end > file.length) throw new ExtractionError("corrupt");
    const payload = file.subarray(at + 4, end);
    if (isFrame(marker)) {
      if (payload.length < 6 || dimensions) throw new ExtractionError("corrupt");
      dimensions = { height: payload.readUInt16BE(1), width: payload.readUInt16BE(3) };
    }
    if (marker === 0xe1 && startsWith(payload, EXIF_HEADER)) {
      orientation = readOrientation(payload.subarray(EXIF_HEADER.length));
    }
    // JFIF has the pixel density, without which some decoders assume another color space; its thumbnail is left out.
    if (marker === 0xe0 && startsWith(payload, "JFIF\0") && payload.length >= 14) {
      parts.push(toSegment(marker, Buffer.concat([payload.subarray(0, 12), Buffer.alloc(2)])));
    } else if (marker === 0xee && startsWith(payload, "Adobe")) parts.push(toSegment(marker, payload.subarray(0, 12)));
    else if (isDecoded(marker) || (marker === 0xe2 && startsWith(payload, ICC_HEADER))) {
      parts.push(file.subarray(at, end));
    }
    at = end;
    if (marker !== START_OF_SCAN) continue;
    hasScan = true;
    const scanEnd = findScanEnd(file, end);
    parts.push(file.subarray(end, scanEnd));
    at = scanEnd;
  }
  if (!dimensions || !hasScan) throw new ExtractionError("corrupt");
  parts.push(Buffer.from([0xff, END_OF_IMAGE]));
  if (orientation !== 1) {
    const exif = Buffer.concat([Buffer.from(EXIF_HEADER, "latin1"), toOrientationTiff(orientation)]);
    // JFIF requires its segment to be the first one.
    const isJfif = parts[1]?.[1] === 0xe0;
    parts.splice(isJfif ? 2 : 1, 0, toSegment(0xe1, exif));
  }
  return { mediaType: "image/jpeg", content: Buffer.concat(parts), ...dimensions };
}
