import { expect, it } from "vitest";
import { cleanImage } from "#shared/files/images/clean-image.ts";
import { createPng, pngChunk } from "#test/support/chat/attachments.ts";

/** EXIF data with an orientation, a camera and the offset of a GPS directory. */
function createExif(orientation: number, isLittle = false): Buffer {
  const exif = Buffer.alloc(8 + 2 + 3 * 12 + 4 + 16);
  exif.write(isLittle ? "II*\0" : "MM\0*", "latin1");
  const write16 = (value: number, at: number) =>
    isLittle ? exif.writeUInt16LE(value, at) : exif.writeUInt16BE(value, at);
  const write32 = (value: number, at: number) =>
    isLittle ? exif.writeUInt32LE(value, at) : exif.writeUInt32BE(value, at);
  write32(8, 4);
  write16(3, 8);
  for (const [index, [tag, type, count, value]] of [
    [0x010f, 2, 8, 50],
    [0x0112, 3, 1, -1],
    [0x8825, 4, 1, 46],
  ].entries()) {
    const at = 10 + index * 12;
    write16(tag as number, at);
    write16(type as number, at + 2);
    write32(count as number, at + 4);
    if (value === -1) write16(orientation, at + 8);
    else write32(value as number, at + 8);
  }
  exif.write("SECRETCAM GPS48", 50, "latin1");
  return exif;
}

const segment = (marker: number, payload: Uint8Array | string) => {
  const content = Buffer.from(payload);
  return Buffer.concat([Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255]), content]);
};

const latin1 = (text: string) => Buffer.from(text, "latin1");
const jfif = segment(0xe0, latin1("JFIF\0\x01\x02\x01\0\x48\0\x48\x01\x01SECRETTHUMB"));
const scanData = Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0x00, 0x78]);

/** Structure of a progressive JPEG image of 3 × 2 pixels with two scans; the data of its scans means nothing. */
function createJpeg(...extra: readonly Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jfif,
    ...extra,
    segment(0xdb, Buffer.alloc(65, 1)),
    segment(0xc2, Buffer.from([8, 0, 2, 0, 3, 1, 1, 0x11, 0])),
    segment(0xc4, Buffer.alloc(19, 2)),
    segment(0xda, Buffer.from([1, 1, 0, 0, 0x3f, 0])),
    scanData,
    segment(0xc4, Buffer.alloc(19, 3)),
    segment(0xda, Buffer.from([1, 1, 0, 0, 0x3f, 0])),
    scanData,
    Buffer.from([0xff, 0xd9]),
  ]);
}

const riffChunk = (type: string, data: Uint8Array) => {
  const head = Buffer.alloc(8);
  head.write(type, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};

const createWebp = (...chunks: readonly Buffer[]) => riffChunk("RIFF", Buffer.concat([latin1("WEBP"), ...chunks]));

const losslessPixels = Buffer.from([0x2f, 2, 0x40, 0, 0, 7, 7]);
const extendedHeader = (flags: number) => riffChunk("VP8X", Buffer.from([flags, 0, 0, 0, 2, 0, 0, 1, 0, 0]));

it("cleanImage() keeps tables, frame, scans and color profile of a JPEG, and removes comment, EXIF, XMP, thumbnail and trailer", () => {
  const profile = segment(0xe2, latin1("ICC_PROFILE\0\x01\x01profile"));
  const metadata = [
    segment(0xe1, Buffer.concat([latin1("Exif\0\0"), createExif(1)])),
    segment(0xe1, latin1("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>SECRET</x:xmpmeta>")),
    segment(0xed, latin1("Photoshop 3.0\0SECRET")),
    segment(0xe2, latin1("MPF\0SECRET")),
    segment(0xfe, latin1("SECRET comment <script>")),
  ];
  const file = Buffer.concat([createJpeg(...metadata, profile), latin1("PK\x03\x04SECRET archive")]);
  const cleaned = cleanImage(file);
  expect(cleaned).toMatchObject({ mediaType: "image/jpeg", width: 3, height: 2 });
  expect(cleaned.content.toString("latin1")).not.toMatch(/SECRET|GPS|Exif|script/);
  const expected = createJpeg(profile).toString("latin1").replace("SECRETTHUMB", "");
  expect(cleaned.content.length).toBe(expected.length);
  expect(cleaned.content.includes("ICC_PROFILE")).toBe(true);
  expect(cleaned.content.subarray(-2)).toEqual(Buffer.from([0xff, 0xd9]));
  expect(cleanImage(cleaned.content).content).toEqual(cleaned.content);
});

it.each([
  ["big", false],
  ["little", true],
])("cleanImage() keeps only the orientation of EXIF in %s-endian order", (_, isLittle) => {
  const { content } = cleanImage(
    createJpeg(segment(0xe1, Buffer.concat([latin1("Exif\0\0"), createExif(6, isLittle)]))),
  );
  expect(content.toString("latin1")).not.toMatch(/SECRET|GPS/);
  const exif = content.indexOf("Exif\0\0MM");
  // JFIF comes first.
  expect(exif).toBeGreaterThan(content.indexOf("JFIF"));
  expect(content.readUInt16BE(exif + 6 + 18)).toBe(6);
  const webp = createWebp(
    extendedHeader(0x0c),
    riffChunk("VP8L", losslessPixels),
    riffChunk("EXIF", createExif(8, isLittle)),
  );
  const cleaned = cleanImage(webp);
  expect(cleaned.content.toString("latin1")).not.toMatch(/SECRET|GPS/);
  expect(cleaned.content[20]).toBe(0x08);
  expect(cleaned.content.readUInt16BE(cleaned.content.indexOf("MM\0*") + 18)).toBe(8);
  const png = cleanImage(createPng(3, 2, pngChunk("eXIf", createExif(3, isLittle)))).content;
  expect(png.toString("latin1")).not.toMatch(/SECRET|GPS/);
  expect(png.readUInt16BE(png.indexOf("MM\0*") + 18)).toBe(3);
});

it("cleanImage() removes texts, times, private chunks, animation and trailer of a PNG", () => {
  const chunks = ["tEXt", "zTXt", "iTXt", "tIME", "acTL", "fdAT", "prVt"].map((type) => pngChunk(type, "SECRET"));
  const file = Buffer.concat([createPng(3, 2, pngChunk("gAMA", "\0\0\xb1\x8f"), ...chunks), latin1("<script>SECRET")]);
  const { content, ...properties } = cleanImage(file);
  expect(properties).toEqual({ mediaType: "image/png", width: 3, height: 2 });
  expect(content).toEqual(createPng(3, 2, pngChunk("gAMA", "\0\0\xb1\x8f")));
});

it("cleanImage() removes EXIF, XMP and unknown chunks of a WebP and of the frames of its animation, and clears their flags", () => {
  const secret = riffChunk("XMP ", latin1("SECRET"));
  const frame = (...extra: Buffer[]) =>
    riffChunk("ANMF", Buffer.concat([Buffer.alloc(16), riffChunk("VP8L", losslessPixels), ...extra]));
  const file = createWebp(
    extendedHeader(0x0e),
    frame(secret),
    riffChunk("EXIF", createExif(1)),
    secret,
    riffChunk("junk", latin1("SECRET")),
  );
  const { content, ...properties } = cleanImage(Buffer.concat([file, latin1("SECRET")]));
  expect(properties).toEqual({ mediaType: "image/webp", width: 3, height: 2 });
  expect(content).toEqual(createWebp(extendedHeader(0x02), frame()));
});

/** GIF image of 3 × 2 pixels in two colors, of which the first is transparent. */
const gifHead = Buffer.concat([latin1("GIF89a"), Buffer.from([3, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])]);
const gifControl = Buffer.from([0x21, 0xf9, 4, 1, 0, 0, 0, 0]);
const gifImage = Buffer.from([0x2c, 0, 0, 0, 0, 3, 0, 2, 0, 0, 2, 3, 0x84, 0x11, 0x05, 0]);
const gifEnd = Buffer.from([0x3b]);
const gif = Buffer.concat([gifHead, gifControl, gifImage, gifEnd]);

it("cleanImage() keeps the first image of a GIF, and removes comments, data of programs, further images and trailer", () => {
  const extension = (label: number, ...blocks: readonly string[]) =>
    Buffer.concat([
      Buffer.from([0x21, label]),
      ...blocks.map((block) => Buffer.concat([Buffer.from([block.length]), latin1(block)])),
      Buffer.alloc(1),
    ]);
  const [xmp, comment] = [extension(0xff, "XMP DataXMP", "SECRET"), extension(0xfe, "SECRET")];
  const parts = [gifHead, xmp, comment, gifControl, comment, gifImage, gifControl, gifImage, comment, gifEnd];
  const { content, ...properties } = cleanImage(Buffer.concat([...parts, latin1("SECRET")]));
  expect(properties).toEqual({ mediaType: "image/gif", width: 3, height: 2 });
  expect(content).toEqual(gif);
});

it.each([
  ["a lossy WebP", createWebp(riffChunk("VP8 ", Buffer.from([0, 0, 0, 0x9d, 1, 0x2a, 3, 0, 2, 0])))],
  ["a lossless WebP", createWebp(riffChunk("VP8L", losslessPixels))],
  ["a PNG", createPng(3, 2)],
  ["a JPEG", createJpeg()],
  ["a GIF", gif],
])("cleanImage() returns the dimensions of %s", (_, file) => {
  expect(cleanImage(file)).toMatchObject({ width: 3, height: 2 });
});

it.each([
  ["a page", latin1("<html><script>alert(1)</script></html>"), "mislabeled"],
  ["an SVG image", latin1("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"), "mislabeled"],
  ["an empty file", Buffer.alloc(0), "mislabeled"],
  ["a PNG signature alone", createPng().subarray(0, 8), "corrupt"],
  ["a PNG without data", createPng().subarray(0, 40), "corrupt"],
  ["a JPEG without a scan", createJpeg().subarray(0, 120), "corrupt"],
  ["a JPEG whose segment exceeds the file", Buffer.from([0xff, 0xd8, 0xff, 0xdb, 0xff, 0xff]), "corrupt"],
  ["a WebP with a wrong size", createWebp(riffChunk("VP8L", losslessPixels)).subarray(0, 20), "corrupt"],
  ["a GIF without an image", Buffer.concat([gifHead, gifEnd]), "corrupt"],
  ["a GIF whose data is cut off", gif.subarray(0, -3), "corrupt"],
  ["a WebP without an image", createWebp(riffChunk("EXIF", createExif(1))), "corrupt"],
])("cleanImage() refuses %s", (_, file, code) => {
  expect(() => cleanImage(file)).toThrow(expect.objectContaining({ code }));
});

it("cleanImage() cleans or refuses, without another error, each file of which bytes were cut off or changed", () => {
  const png = createPng(3, 2, pngChunk("eXIf", createExif(6)));
  for (const file of [
    png,
    createJpeg(),
    gif,
    createWebp(extendedHeader(8), riffChunk("VP8L", losslessPixels), riffChunk("EXIF", createExif(6))),
  ]) {
    for (let at = 0; at < file.length; at++) {
      for (const changed of [
        file.subarray(0, at),
        Buffer.from(file).fill(0xff, at, at + 1),
        Buffer.from(file).fill(0, at, Math.min(at + 2, file.length)),
      ]) {
        try {
          expect(cleanImage(changed).content.length).toBeLessThanOrEqual(file.length + 64);
        } catch (error) {
          expect(error).toMatchObject({ name: "Error", code: expect.stringMatching(/^(corrupt|mislabeled)$/) });
        }
      }
    }
  }
});
