import { ExtractionError } from "../extraction-error.ts";
import type { CleanImage } from "./image-types.ts";

/** Size of the signature and the logical screen descriptor, in bytes. */
const HEADER_BYTES = 13;

const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** Size of an image descriptor, in bytes. */
const DESCRIPTOR_BYTES = 10;

function readByte(file: Buffer, at: number): number {
  const value = file[at];
  if (value === undefined) throw new ExtractionError("corrupt");
  return value;
}

/** Returns the size in bytes of the color table that the flags of a descriptor announce. */
const colorTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Returns the position after a chain of data blocks. */
function skipBlocks(file: Buffer, start: number): number {
  let at = start;
  for (let size = readByte(file, at); size > 0; size = readByte(file, at)) at += size + 1;
  return at + 1;
}

/**
 * Copies the first image of a GIF without comments and data of programs: some models take no animations.
 * @throws ExtractionError `corrupt`
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt
 */
export function cleanGif(file: Buffer): CleanImage {
  if (file.length < HEADER_BYTES) throw new ExtractionError("corrupt");
  const [width, height] = [file.readUInt16LE(6), file.readUInt16LE(8)];
  let at = HEADER_BYTES + colorTableBytes(readByte(file, 10));
  const header = file.subarray(0, at);
  // The transparency of the next image.
  let control: Buffer = Buffer.alloc(0);
  while (readByte(file, at) === EXTENSION) {
    const end = skipBlocks(file, at + 2);
    if (file[at + 1] === GRAPHIC_CONTROL) control = file.subarray(at, end);
    at = end;
  }
  if (file[at] !== IMAGE) throw new ExtractionError("corrupt");
  // The first byte of the data is the number of bits of a color.
  const data = at + DESCRIPTOR_BYTES + colorTableBytes(readByte(file, at + DESCRIPTOR_BYTES - 1)) + 1;
  const end = skipBlocks(file, data);
  const content = Buffer.concat([header, control, file.subarray(at, end), Buffer.from([TRAILER])]);
  return { mediaType: "image/gif", content, width, height };
}
