import { createHash } from "node:crypto";
import { type Occurrence, saturation } from "./bm25.ts";

/** That a term occurs in a passage. */
export interface Posting extends Occurrence {
  /** The passage's number within its scope. */
  readonly passage: number;
  /** Which collection it is in, as far as 16 bits tell: narrows a search down without reading passages. */
  readonly collectionTag: number;
}

/** Bytes of a packed posting: passage 4, in text 1, in title 1, length 2, collection tag 2. */
const packedSize = 10;

const largestByte = 0xff;
const largestShort = 0xffff;

/** The tag of a collection. */
export function collectionTagOf(collectionId: string): number {
  return createHash("sha256").update(collectionId).digest().readUInt16BE();
}

/** An occurrence as far as it is told apart: beyond these bounds more does not count. */
export function boundedOccurrence({ inText, inTitle, length }: Occurrence): Occurrence {
  return {
    inText: Math.min(inText, largestByte),
    inTitle: Math.min(inTitle, largestByte),
    length: Math.min(length, largestShort),
  };
}

/** Postings as bytes. */
export function pack(postings: readonly Posting[]): Uint8Array {
  const bytes = new Uint8Array(postings.length * packedSize);
  const view = new DataView(bytes.buffer);
  for (const [index, { passage, inText, inTitle, length, collectionTag }] of postings.entries()) {
    const at = index * packedSize;
    view.setUint32(at, passage);
    view.setUint8(at + 4, inText);
    view.setUint8(at + 5, inTitle);
    view.setUint16(at + 6, length);
    view.setUint16(at + 8, collectionTag);
  }
  return bytes;
}

/** Bytes as postings. */
export function unpack(bytes: Uint8Array): Posting[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / packedSize }, (_, index) => {
    const at = index * packedSize;
    return {
      passage: view.getUint32(at),
      inText: view.getUint8(at + 4),
      inTitle: view.getUint8(at + 5),
      length: view.getUint16(at + 6),
      collectionTag: view.getUint16(at + 8),
    };
  });
}

/** A passage length that stands for the average where postings are put in order: the order must not change with it. */
const typicalLength = 200;

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");

/**
 * Where a posting stands in its list: highest impact first, then by passage. As text of fixed length, which DynamoDB
 * sorts in the same way.
 */
export function rankOf(posting: Posting): string {
  const impact = Math.round(saturation(posting, typicalLength) * largestByte);
  return hex(largestByte - impact, 2) + hex(posting.passage, 8);
}
