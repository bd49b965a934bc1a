import { crc32, deflateRawSync } from "node:zlib";

/** Entry of an archive to write. */
export interface ZipEntry {
  readonly content: string | Uint8Array;
  /** Uncompressed size to declare instead of the actual one. */
  readonly declaredSize?: number;
  /** Sets the flag of encrypted entries. */
  readonly isEncrypted?: boolean;
}

/** Writes a ZIP archive, with the deviations that an entry asks for. */
export function writeZip(entries: Readonly<Record<string, string | ZipEntry>>): Uint8Array {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, value] of Object.entries(entries)) {
    const {
      content,
      declaredSize,
      isEncrypted = false,
    } = typeof value === "string" ? { content: value } : (value as ZipEntry);
    const bytes = Buffer.from(content);
    const compressed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (isEncrypted ? 1 : 0), 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(compressed.length, 14);
    common.writeUInt32LE(declaredSize ?? bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, path, compressed]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), common, end, path]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(centrals.length, 4);
  end.writeUInt16LE(centrals.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\x05\x06"), end]);
}
