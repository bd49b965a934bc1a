import { ExtractionError } from "../extraction-error.ts";
import { cleanGif } from "./clean-gif.ts";
import { cleanJpeg } from "./clean-jpeg.ts";
import { cleanPng, pngSignature } from "./clean-png.ts";
import { cleanWebp } from "./clean-webp.ts";
import type { CleanImage } from "./image-types.ts";

/**
 * Copies an image without its metadata, such as the location and device of a photo. The format is detected from the
 * content; pixels are not decoded.
 * @throws ExtractionError `mislabeled` if the file is no PNG, JPEG, WebP or GIF image, `corrupt` if it is damaged
 */
export function cleanImage(file: Buffer): CleanImage {
  if (file.subarray(0, 8).equals(pngSignature)) return cleanPng(file);
  if (file.length > 3 && file.readUIntBE(0, 3) === 0xffd8ff) return cleanJpeg(file);
  const formatOf = (start: number) => file.toString("latin1", start, start + 4);
  if (formatOf(0) === "RIFF" && formatOf(8) === "WEBP") return cleanWebp(file);
  if (/^GIF8[79]a/.test(file.toString("latin1", 0, 6))) return cleanGif(file);
  throw new ExtractionError("mislabeled");
}
