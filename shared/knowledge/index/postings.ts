import { sha256Bytes } from "../../lib/hash.ts";
import { type Occurrence, saturation } from "./bm25.ts";

/** Occurrence of a term in a passage. */
export interface Posting extends Occurrence {
  /** Number of the passage within its audience. */
  readonly passage: number;
  /** 16-bit hash of the collection id, by which a search filters without reading passages. */
  readonly collectionTag: number;
}

/**
 * Size of an encoded posting in bytes: passage number 4, frequency in the text 1, frequency in the title 1, length 2,
 * collection tag 2.
 */
const POSTING_BYTES = 10;

const MAX_UINT8 = 0xff;
const MAX_UINT16 = 0xffff;

export function toCollectionTag(collectionId: string): number {
  return sha256Bytes(collectionId).readUInt16BE();
}

/** Limits the numbers of an occurrence to the ranges of their encoding. */
export function clampOccurrence({ inText, inTitle, length }: Occurrence): Occurrence {
  return {
    inText: Math.min(inText, MAX_UINT8),
    inTitle: Math.min(inTitle, MAX_UINT8),
    length: Math.min(length, MAX_UINT16),
  };
}

export function encodePostings(postings: readonly Posting[]): Uint8Array {
  const bytes = new Uint8Array(postings.length * POSTING_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, { passage, inText, inTitle, length, collectionTag }] of postings.entries()) {
    const offset = index * POSTING_BYTES;
    view.setUint32(offset, passage);
    view.setUint8(offset + 4, inText);
    view.setUint8(offset + 5, inTitle);
    view.setUint16(offset + 6, length);
    view.setUint16(offset + 8, collectionTag);
  }
  return bytes;
}

export function decodePostings(bytes: Uint8Array): Posting[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / POSTING_BYTES }, (_, index) => {
    const offset = index * POSTING_BYTES;
    return {
      passage: view.getUint32(offset),
      inText: view.getUint8(offset + 4),
      inTitle: view.getUint8(offset + 5),
      length: view.getUint16(offset + 6),
      collectionTag: view.getUint16(offset + 8),
    };
  });
}

/** Fixed average length with which postings are sorted. Unlike the real average, it must not change. */
const NOMINAL_PASSAGE_LENGTH = 200;

const toHex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");

/**
 * Returns the rank of a posting in its list: by descending score factor, then by passage. It has a fixed length, so
 * that it sorts correctly as a sort key.
 */
export function toRank(posting: Posting): string {
  const impact = Math.round(saturation(posting, NOMINAL_PASSAGE_LENGTH) * MAX_UINT8);
  return toHex(MAX_UINT8 - impact, 2) + toHex(posting.passage, 8);
}
