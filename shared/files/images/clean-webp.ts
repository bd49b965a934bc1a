import { ExtractionError } from "../extraction-error.ts";
import type { CleanImage } from "./image-types.ts";
import { readOrientation, toOrientationTiff } from "./orientation.ts";

/** Chunks to keep: those that decoders need, and the color profile. */
const neededChunks: ReadonlySet<string> = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]);

/** Flags of the `VP8X` chunk for EXIF and XMP data. */
const EXIF_FLAG = 0x08;
const XMP_FLAG = 0x04;

/** Size of the fields that precede the chunks in a frame of an animation, in bytes. */
const FRAME_HEADER_BYTES = 16;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function readChunks(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) throw new ExtractionError("corrupt");
    const size = bytes.readUInt32LE(at + 4);
    if (at + 8 + size > bytes.length) throw new ExtractionError("corrupt");
    chunks.push({ type: bytes.toString("latin1", at, at + 4), data: bytes.subarray(at + 8, at + 8 + size) });
    // Chunks have an even size.
    at += 8 + size + (size % 2);
  }
  return chunks;
}

function toBytes({ type, data }: Chunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** Removes all chunks except `neededChunks` from a frame of an animation. */
function cleanFrame({ type, data }: Chunk): Chunk {
  if (data.length < FRAME_HEADER_BYTES) throw new ExtractionError("corrupt");
  const chunks = readChunks(data.subarray(FRAME_HEADER_BYTES)).filter((chunk) => neededChunks.has(chunk.type));
  return { type, data: Buffer.concat([data.subarray(0, FRAME_HEADER_BYTES), ...chunks.map(toBytes)]) };
}

/**
 * Returns the dimensions in pixels from the first chunk.
 * @see https://developers.google.com/speed/webp/docs/riff_container
 */
function readDimensions({ type, data }: Chunk) {
  if (type === "VP8X" && data.length >= 10) {
    return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
  }
  if (type === "VP8L" && data.length >= 5 && data[0] === 0x2f) {
    const bits = data.readUInt32LE(1);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (type === "VP8 " && data.length >= 10 && data.readUIntBE(3, 3) === 0x9d012a) {
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  }
  throw new ExtractionError("corrupt");
}

/**
 * Copies a WebP image without its metadata, except the orientation. Data after the end is left out.
 * @throws ExtractionError `corrupt`
 */
export function cleanWebp(file: Buffer): CleanImage {
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length) throw new ExtractionError("corrupt");
  const chunks = readChunks(file.subarray(12, end));
  const [first] = chunks;
  if (!first || !chunks.some(({ type }) => /^VP8[ L]$|^ANMF$/.test(type))) throw new ExtractionError("corrupt");
  const dimensions = readDimensions(first);
  const exif = chunks.find(({ type }) => type === "EXIF")?.data ?? Buffer.alloc(0);
  const tiff = exif.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif;
  const orientation = first.type === "VP8X" ? readOrientation(tiff) : 1;
  const cleaned = chunks
    .filter(({ type }) => neededChunks.has(type))
    .map((chunk): Chunk => {
      if (chunk.type === "ANMF") return cleanFrame(chunk);
      if (chunk.type !== "VP8X") return chunk;
      const data = Buffer.from(chunk.data.subarray(0, 10));
      const flags = (data[0] ?? 0) & ~(EXIF_FLAG | XMP_FLAG);
      data[0] = orientation === 1 ? flags : flags | EXIF_FLAG;
      return { type: "VP8X", data };
    });
  if (orientation !== 1) cleaned.push({ type: "EXIF", data: toOrientationTiff(orientation) });
  const body = Buffer.concat([Buffer.from("WEBP"), ...cleaned.map(toBytes)]);
  return { mediaType: "image/webp", content: toBytes({ type: "RIFF", data: body }), ...dimensions };
}
