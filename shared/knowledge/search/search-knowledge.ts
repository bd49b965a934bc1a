import { findCollections } from "../collection-store.ts";
import { findDocuments, type StoredDocument } from "../document-store.ts";
import type { RankedPassage } from "../index/knowledge-index.ts";
import { knowledgeIndexes } from "../index/knowledge-indexes.ts";
import type { Language } from "../index/languages.ts";
import { findPassages, type StoredPassage } from "../index/passage-store.ts";
import { termsOf } from "../index/terms.ts";
import { type KnowledgeReader, mayRead } from "../knowledge-access.ts";
import { fuse } from "./rank-fusion.ts";
import { snippetOf } from "./snippet.ts";

/** What somebody wants to know. */
export interface KnowledgeQuery {
  readonly text: string;
  /** Only these collections; of those the reader may not read, nothing is found. */
  readonly collectionIds?: readonly string[];
  /** Only documents with all of these values in their metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Passages wanted, at most 100. */
  readonly limit: number;
}

/** A passage that was found. */
export interface KnowledgeHit {
  readonly document_id: string;
  /** The document's id, a dot, the passage's place in the document. */
  readonly chunk_id: string;
  readonly collection_id: string;
  readonly title: string;
  readonly uri: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The part of `text` that fits best, word for word. */
  readonly snippet: string;
  /** Comparable within one answer; higher is better. */
  readonly score: number;
  /** The whole passage. */
  readonly text: string;
}

/** Passages looked at, at most, where filters leave many of them aside. */
const deepest = 600;
/** Passages looked at in one go: as many as a batch read takes. */
const widest = 100;

/** A document goes while its passages are still there, and a collection may have changed hands since it was indexed. */
async function readableDocuments(
  reader: KnowledgeReader,
  passages: readonly StoredPassage[],
): Promise<ReadonlyMap<string, StoredDocument>> {
  const documents = new Map(
    passages.map(({ document_id, collection_id }) => [document_id, { id: document_id, collection_id }]),
  );
  const collectionIds = [...new Set(passages.map(({ collection_id }) => collection_id))];
  if (documents.size === 0) return new Map();
  const [found, collections] = await Promise.all([
    findDocuments(reader, [...documents.values()]),
    findCollections(reader, collectionIds),
  ]);
  const readable = new Set(collections.filter((collection) => mayRead(reader, collection)).map(({ id }) => id));
  return new Map(
    found
      .filter(({ deleted, status, collection_id }) => !deleted && status === "ready" && readable.has(collection_id))
      .map((document) => [document.id, document]),
  );
}

/** Whether a passage is where its document is now, and not a copy on its way in or out. */
function isCurrent({ audience, passage }: RankedPassage, { placement }: StoredDocument): boolean {
  return (
    placement !== undefined &&
    placement.audience === audience &&
    passage >= placement.first &&
    passage < placement.first + placement.count
  );
}

function hasMetadata(document: StoredDocument, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => Object.hasOwn(document.metadata, name) && document.metadata[name] === value,
  );
}

/** A hit to which only the snippet is missing, with what that takes. */
interface Found {
  readonly hit: Omit<KnowledgeHit, "snippet">;
  readonly language: Language;
}

/** Those of the ranked passages that the query is after, in their order. */
async function hitsAmong(
  reader: KnowledgeReader,
  { collectionIds, metadata = {} }: KnowledgeQuery,
  ranked: readonly RankedPassage[],
): Promise<Found[]> {
  const passages = new Map(
    (await findPassages(reader, ranked))
      .filter(({ collection_id }) => collectionIds?.includes(collection_id) ?? true)
      .map((passage) => [`${passage.audience}#${passage.passage}`, passage]),
  );
  const documents = await readableDocuments(reader, [...passages.values()]);
  return ranked.flatMap((entry) => {
    const passage = passages.get(entry.key);
    const document = passage && documents.get(passage.document_id);
    if (!document || !isCurrent(entry, document) || !hasMetadata(document, metadata)) return [];
    const { title, uri, collection_id } = document;
    const hit = {
      document_id: document.id,
      chunk_id: `${document.id}.${passage.place}`,
      collection_id,
      title,
      uri,
      metadata: document.metadata,
      score: Math.round(entry.score * 10_000) / 10_000,
      text: passage.text,
    };
    return [{ hit, language: document.placement?.language ?? "en" }];
  });
}

/**
 * The passages that answer a question best, out of what the reader may read: the reader's own collections and those of
 * the tenant. What the reader may not read is neither ranked nor counted in any statistics. Costs a bounded number of
 * reads, however much there is.
 */
export async function searchKnowledge(reader: KnowledgeReader, query: KnowledgeQuery): Promise<KnowledgeHit[]> {
  const { text, collectionIds, limit } = query;
  if (collectionIds?.length === 0) return [];
  const rankings = await Promise.all(
    knowledgeIndexes.map((index) => index.rank(reader, { text, collectionIds, depth: deepest })),
  );
  const ranked = fuse(rankings);
  const found: Found[] = [];
  const narrowed = query.metadata !== undefined || collectionIds !== undefined;
  // A few more than wanted: some may be on their way out.
  let step = narrowed ? widest : Math.min(widest, limit + 5);
  for (let start = 0; start < ranked.length && found.length < limit; start += step, step = widest) {
    found.push(...(await hitsAmong(reader, query, ranked.slice(start, start + step))));
  }
  return found.slice(0, limit).map(({ hit, language }) => {
    const weights = new Map(termsOf(text, language).map((term) => [term, term.length]));
    return { ...hit, snippet: snippetOf(hit.text, weights, language) };
  });
}
