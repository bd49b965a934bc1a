import { deflateSync } from "node:zlib";
import { vi } from "vitest";
import type { Attachment } from "#shared/api/conversations/attachments.ts";
import type { Client } from "#test/support/client.ts";

/** Creates an attachment and uploads its file. */
export async function uploadAttachment(
  client: Client,
  conversationId: string,
  file_name: string,
  content: Uint8Array,
): Promise<Attachment> {
  const path = `/v1/conversations/${conversationId}/attachments`;
  const { status, body, text } = await client.post(path, { file_name, size: content.length });
  if (status !== 201) throw new Error(`Attaching ${file_name} failed: ${text}`);
  const { url, method, headers } = body.upload;
  const response = await fetch(url, { method, headers, body: Buffer.from(content) });
  if (!response.ok) throw new Error(`Uploading ${file_name} failed: ${await response.text()}`);
  return body.attachment;
}

/** Uploads a file for a message and waits until it was read. */
export async function attach(
  client: Client,
  conversationId: string,
  fileName: string,
  content: Uint8Array | string,
): Promise<Attachment & { readonly download: { readonly url: string } | null }> {
  const { id } = await uploadAttachment(client, conversationId, fileName, Buffer.from(content));
  return vi.waitFor(
    async () => {
      const { body } = await client.get(`/v1/conversations/${conversationId}/attachments/${id}`);
      if (body.status === "pending") throw new Error(`${fileName} is pending`);
      return body;
    },
    { timeout: 180_000, interval: 100 },
  );
}

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

const crc = (bytes: Buffer) =>
  (bytes.reduce((value, byte) => (crcTable[(value ^ byte) & 255] ?? 0) ^ (value >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

/** Returns a chunk of a PNG image. */
export function pngChunk(type: string, data: Uint8Array | string): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), Buffer.from(data)]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  check.writeUInt32BE(crc(content));
  return Buffer.concat([length, content, check]);
}

/** Creates a black PNG image, with further chunks after its header. */
export function createPng(width = 2, height = 2, ...chunks: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width + 1));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    ...chunks,
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", ""),
  ]);
}
