import { t } from "../../lib/i18n.ts";

/** Maximum width and height of a converted photo, in pixels: phones limit the area of a canvas. */
const MAX_SIDE = 4_096;

const QUALITY = 0.9;

/**
 * Converts a photo to JPEG, with the decoder of the browser. Safari reads HEIC.
 * @throws Error with a text for the user if the browser cannot read the photo
 */
export async function convertPhoto(file: File): Promise<File> {
  const url = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const scale = Math.min(1, MAX_SIDE / Math.max(width, height));
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
    if (!jpeg) throw new Error("The photo is empty.");
    return new File([jpeg], `${file.name.slice(0, -".heic".length)}.jpg`, { type: jpeg.type });
  } catch {
    throw new Error(t("This browser cannot read HEIC photos. Save the photo as JPEG and attach it again."));
  } finally {
    URL.revokeObjectURL(url);
  }
}
