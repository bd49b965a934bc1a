/** End of the central directory of a ZIP archive, its entries, and the headers of files. APPNOTE 4.3. */
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;

/** Maximum size of a file in an archive, in bytes: what a browser can hold as text. */
const MAX_FILE_BYTES = 400_000_000;

async function inflate(data: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/**
 * Returns the texts of the files in a ZIP archive whose names match a pattern.
 * @throws Error if the archive is damaged, or uses features that exports do not have, such as encryption
 */
export async function readArchive(archive: Blob, pattern: RegExp): Promise<string[]> {
  const bytes = new Uint8Array(await archive.arrayBuffer());
  const view = new DataView(bytes.buffer);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END_SIGNATURE) end--;
  if (end < 0) throw new Error("The archive has no directory.");
  const count = view.getUint16(end + 10, true);
  const texts: string[] = [];
  let offset = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index++) {
    if (view.getUint32(offset, true) !== ENTRY_SIGNATURE) throw new Error("The directory of the archive is damaged.");
    const method = view.getUint16(offset + 10, true);
    const [compressed, size] = [view.getUint32(offset + 20, true), view.getUint32(offset + 24, true)];
    const nameLength = view.getUint16(offset + 28, true);
    const next = offset + 46 + nameLength + view.getUint16(offset + 30, true) + view.getUint16(offset + 32, true);
    const name = new TextDecoder().decode(bytes.subarray(offset + 46, offset + 46 + nameLength));
    if (pattern.test(name)) {
      if (size > MAX_FILE_BYTES) throw new Error(`The file ${name} is too large.`);
      const header = view.getUint32(offset + 42, true);
      const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
      const data = bytes.slice(start, start + compressed);
      texts.push(method === 0 ? new TextDecoder().decode(data) : await inflate(data));
    }
    offset = next;
  }
  return texts;
}
