/** TIFF tag of the orientation. */
const ORIENTATION = 0x0112;

/** Size of a TIFF structure with one entry, in bytes. */
const TIFF_BYTES = 26;

/**
 * Returns the orientation in EXIF data, from 1 (upright) to 8; 1 also if there is none or the data is invalid.
 * @param tiff EXIF data, starting with its TIFF header
 */
export function readOrientation(tiff: Buffer): number {
  const order = tiff.toString("latin1", 0, 4);
  const isLittle = order === "II*\0";
  if (!isLittle && order !== "MM\0*") return 1;
  const read16 = (offset: number) => (isLittle ? tiff.readUInt16LE(offset) : tiff.readUInt16BE(offset));
  const read32 = (offset: number) => (isLittle ? tiff.readUInt32LE(offset) : tiff.readUInt32BE(offset));
  try {
    const directory = read32(4);
    for (let entry = directory + 2, left = read16(directory); left > 0; entry += 12, left--) {
      if (read16(entry) !== ORIENTATION) continue;
      const value = read16(entry + 8);
      return value >= 2 && value <= 8 ? value : 1;
    }
  } catch {
    // An offset is outside of the data.
  }
  return 1;
}

/** Returns EXIF data that contains only an orientation. Without it, photos of phones would be shown on their side. */
export function toOrientationTiff(orientation: number): Buffer {
  const tiff = Buffer.alloc(TIFF_BYTES);
  tiff.write("MM\0*", "latin1");
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(ORIENTATION, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}
