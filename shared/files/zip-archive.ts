import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { ExtractionError } from "./extraction-error.ts";
import { MAX_ARCHIVE_BYTES, MAX_ARCHIVE_ENTRIES, MAX_ENTRY_BYTES } from "./extraction-limits.ts";

/** Bit in an entry's flags that marks the entry as encrypted. */
const ENCRYPTED_FLAG = 1;

/**
 * ZIP archive in memory, protected against zip bombs. The declared size of an entry is checked before it is inflated;
 * yauzl compares the actual size with it.
 */
export class ZipArchive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #bytesRead = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /**
   * Opens an archive and reads the list of its entries.
   * @throws ExtractionError `corrupt`, or `suspicious` for too many entries
   */
  static async open(file: Uint8Array): Promise<ZipArchive> {
    const zip = await fromBufferPromise(Buffer.from(file.buffer, file.byteOffset, file.byteLength), {
      lazyEntries: true,
    }).catch(() => {
      throw new ExtractionError("corrupt");
    });
    if (zip.entryCount > MAX_ARCHIVE_ENTRIES) throw new ExtractionError("suspicious");
    const entries = new Map<string, Entry>();
    try {
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    } catch {
      throw new ExtractionError("corrupt");
    }
    return new ZipArchive(zip, entries);
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /**
   * Returns the content of an entry as text; undefined if the entry does not exist.
   * @throws ExtractionError `corrupt`, `encrypted`, or `suspicious` if it is too large
   */
  async findText(name: string): Promise<string | undefined> {
    const entry = this.#entries.get(name);
    return entry && decodeXml(await this.#read(entry));
  }

  /**
   * Returns the content of an entry as text.
   * @throws ExtractionError `corrupt` if the entry does not exist or is damaged, `encrypted`, or `suspicious` if it is
   * too large
   */
  async getText(name: string): Promise<string> {
    const text = await this.findText(name);
    if (text === undefined) throw new ExtractionError("corrupt");
    return text;
  }

  async #read(entry: Entry): Promise<Buffer> {
    if ((entry.generalPurposeBitFlag & ENCRYPTED_FLAG) !== 0) throw new ExtractionError("encrypted");
    this.#bytesRead += entry.uncompressedSize;
    if (entry.uncompressedSize > MAX_ENTRY_BYTES || this.#bytesRead > MAX_ARCHIVE_BYTES) {
      throw new ExtractionError("suspicious");
    }
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of await this.#zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    } catch {
      throw new ExtractionError("corrupt");
    }
    return Buffer.concat(chunks);
  }
}

/** Decodes an XML file: as UTF-16 if it has such a byte order mark, otherwise as UTF-8. */
function decodeXml(bytes: Buffer): string {
  const isLittleEndian = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isBigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
  const encoding = isLittleEndian ? "utf-16le" : isBigEndian ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
