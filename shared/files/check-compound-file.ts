import { ExtractionError } from "./extraction-error.ts";

/** Byte offsets of fields in the header (MS-CFB, section 2.2). */
const SECTOR_SHIFT = 30;
const DIRECTORY_START = 48;
const MINI_FAT_START = 60;
const DIFAT_START = 68;
const FIRST_FAT_SECTORS = 76;
const HEADER_BYTES = 512;

/** Smallest sector number that is a special value and not a sector, such as the end of a chain. */
const FIRST_MARK = 0xffff_fffa;

/** Offsets of fields in a directory entry, in units of four bytes (MS-CFB, section 2.6). */
const ENTRY_FIELDS = 32;
const LINKS = [17, 18, 19] as const;
const TYPE = 16;
const SIZE = 30;
const NO_ENTRY = 0xffff_ffff;
const STREAM = 2;

type Table = readonly number[];

/**
 * Returns the sectors of a chain, in order.
 * @throws ExtractionError `corrupt` if the chain is circular
 */
function readChain(start: number, next: (sector: number) => number | undefined): number[] {
  const chain = new Set<number>();
  for (let sector = start; sector < FIRST_MARK; sector = next(sector) ?? FIRST_MARK) {
    if (chain.has(sector)) throw new ExtractionError("corrupt");
    chain.add(sector);
  }
  return [...chain];
}

/**
 * Requires that no chain in a table of successors is circular.
 * @throws ExtractionError `corrupt`
 */
function requireEnds(successors: Table): void {
  const checked = new Set<number>();
  for (const start of successors.keys()) {
    for (const sector of readChain(start, (each) => (checked.has(each) ? undefined : successors[each]))) {
      checked.add(sector);
    }
  }
}

/**
 * Requires that the directory entries form a tree and that no stream is longer than the file.
 * @throws ExtractionError `corrupt`
 */
function requireTree(fields: Table, fileBytes: number): void {
  const seen = new Set<number>();
  const pending = [0];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    const entry = fields.slice(index * ENTRY_FIELDS, (index + 1) * ENTRY_FIELDS);
    const isStream = ((entry[TYPE] ?? 0) >>> 16) % 256 === STREAM;
    if (seen.has(index) || (isStream && Number(entry[SIZE]) > fileBytes)) throw new ExtractionError("corrupt");
    seen.add(index);
    pending.push(...LINKS.map((field) => entry[field] ?? NO_ENTRY).filter((link) => link !== NO_ENTRY));
  }
}

/**
 * Requires that the sector chains and the directory of a compound file (the container of `.msg` files) are not
 * circular. A reader that follows a circular chain would use up the memory.
 * @see https://learn.microsoft.com/openspecs/windows_protocols/ms-cfb
 * @throws ExtractionError `corrupt`
 */
export function checkCompoundFile(file: Uint8Array): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (view.byteLength < HEADER_BYTES) throw new ExtractionError("corrupt");
  const sectorBytes = view.getUint16(SECTOR_SHIFT, true) === 12 ? 4_096 : 512;
  const readNumbers = (start: number, bytes: number): number[] =>
    start + bytes > view.byteLength
      ? []
      : Array.from({ length: bytes / 4 }, (_, index) => view.getUint32(start + 4 * index, true));
  const readSector = (sector: number) => readNumbers((sector + 1) * sectorBytes, sectorBytes);
  const isSector = (number: number) => number < FIRST_MARK;

  // The last number of a sector of the DIFAT is the next one.
  const difat = readChain(view.getUint32(DIFAT_START, true), (sector) => readSector(sector).at(-1));
  const fatSectors = [
    ...readNumbers(FIRST_FAT_SECTORS, HEADER_BYTES - FIRST_FAT_SECTORS),
    ...difat.flatMap((sector) => readSector(sector).slice(0, -1)),
  ];
  const fat = fatSectors.filter(isSector).flatMap(readSector);
  requireEnds(fat);
  const readTable = (start: number) => readChain(start, (sector) => fat[sector]).flatMap(readSector);
  requireEnds(readTable(view.getUint32(MINI_FAT_START, true)));
  requireTree(readTable(view.getUint32(DIRECTORY_START, true)), view.byteLength);
}
