/** File name extensions of the supported image formats, by media type. */
const imageTypes = {
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg", "jpe", "jfif"],
  "image/webp": ["webp"],
  "image/gif": ["gif"],
} as const;

type ImageType = keyof typeof imageTypes;

/** Image without its metadata. */
export interface CleanImage {
  readonly mediaType: ImageType;
  readonly content: Buffer;
  /** Width and height in pixels, before the orientation is applied. */
  readonly width: number;
  readonly height: number;
}

/** Returns the media type of an image by its file name extension; null if the format is not supported. */
export function findImageType(fileName: string): ImageType | null {
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? "";
  const types = Object.keys(imageTypes) as ImageType[];
  return types.find((type) => (imageTypes[type] as readonly string[]).includes(extension)) ?? null;
}
