import type { Passage } from "../api/knowledge/passages.ts";
import { notFound, requireFound } from "../lib/errors.ts";
import { type DocumentRef, getDocument, type StoredDocument } from "./document-store.ts";
import { toPassageSegments } from "./index/passage-segments.ts";
import { findPassages, type StoredPassage, toLocation } from "./index/passage-store.ts";
import type { KnowledgeReader } from "./knowledge-access.ts";

interface PassageWithNeighbors extends Passage {
  readonly document: StoredDocument;
  readonly passage_count: number;
  readonly before: Passage[];
  readonly after: Passage[];
}

const toPassage = (passage: StoredPassage): Passage => ({
  ...toLocation(passage),
  text: passage.text,
  segments: toPassageSegments(passage),
});

/**
 * Returns a passage of an indexed document with its neighbors.
 * @param place position of the passage in the document, from 0
 * @param neighbors maximum number of passages on each side
 * @throws ServiceError `not_found` if the passage does not exist, or the reader may not read its collection
 */
export async function readPassage(
  reader: KnowledgeReader,
  ref: DocumentRef,
  place: number,
  neighbors: number,
): Promise<PassageWithNeighbors> {
  const { document } = await getDocument(reader, ref);
  const { placement } = document;
  if (!placement || place >= placement.count) throw notFound();
  const firstPlace = Math.max(0, place - neighbors);
  const lastPlace = Math.min(placement.count - 1, place + neighbors);
  const stored = await findPassages(
    reader,
    Array.from({ length: lastPlace - firstPlace + 1 }, (_, index) => ({
      audience: placement.audience,
      passage: placement.first + firstPlace + index,
    })),
  );
  const passages = stored.sort((a, b) => a.place - b.place);
  const passage = requireFound(passages.find((candidate) => candidate.place === place));
  return {
    document,
    ...toPassage(passage),
    passage_count: placement.count,
    before: passages.filter((candidate) => candidate.place < place).map(toPassage),
    after: passages.filter((candidate) => candidate.place > place).map(toPassage),
  };
}
