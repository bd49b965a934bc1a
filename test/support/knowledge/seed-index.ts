import { keys } from "#shared/dynamodb/keys.ts";
import type { Write } from "#shared/dynamodb/table.ts";
import { tenantTable, type UserScope } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import { newTextDocument } from "#shared/knowledge/document-store.ts";
import { statisticsWrites } from "#shared/knowledge/index/passage-store.ts";
import { FIRST_BLOCK_START } from "#shared/knowledge/index/posting-list.ts";
import { encodePostings, type Posting, toCollectionTag, toRank } from "#shared/knowledge/index/postings.ts";
import { countOccurrences, extractTerms } from "#shared/lib/language/terms.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";

const AUDIENCE = "tenant";
const PASSAGES_PER_DOCUMENT = 10;

/** Number of items per transaction, which is DynamoDB's maximum. */
const TRANSACTION_SIZE = 100;

/** Number of postings per block, as in blocks that the index has split. */
const BLOCK_POSTINGS = 55;

/**
 * Maximum number of occurrences in a posting. A posting is packed into one number: `passage * (MAX_OCCURRENCES + 1) +
 * occurrences`.
 */
const MAX_OCCURRENCES = 7;

/**
 * Stores an index of `size` passages in a new tenant as if they had been indexed, but writes each block of a posting list once.
 * Indexing document by document would write the blocks of frequent words again and again.
 * @param createText creates a text of a number of words that are neither stop words nor stemmed
 */
export async function seedIndex(reader: UserScope, size: number, createText: () => string): Promise<void> {
  const table = tenantTable(reader);
  const collection = newCollection(reader.userId, { name: "Bench", description: "", readers: [AUDIENCE] });
  await table.transact(newCollectionWrites(reader, collection));
  const store = (batches: readonly Write[][]) => mapConcurrent(batches, (writes) => table.transact(writes));

  const postingsByTerm = new Map<string, number[]>();
  let length = 0;
  const newPassages = (first: number): Write[] => {
    const fields = { title: "Bench", media_type: "text/plain", uri: null, metadata: {}, source: null } as const;
    const document = newTextDocument(collection.id, reader.userId, "", fields);
    const writes: Write[] = [];
    for (let passage = first; passage < first + PASSAGES_PER_DOCUMENT; passage++) {
      const text = createText();
      const terms = extractTerms(text);
      length += terms.length;
      for (const [term, count] of countOccurrences(terms)) {
        const packed = passage * (MAX_OCCURRENCES + 1) + Math.min(count, MAX_OCCURRENCES);
        const postings = postingsByTerm.get(term);
        if (postings) postings.push(packed);
        else postingsByTerm.set(term, [packed]);
      }
      const place = { document_id: document.id, collection_id: collection.id, place: passage - first, headings: "" };
      const key = keys.passage(reader.tenantId, AUDIENCE, passage);
      writes.push({ put: { ...key, discriminator: "passage", passage, ...place, text } });
    }
    const count = PASSAGES_PER_DOCUMENT;
    const version = {
      audience: AUDIENCE,
      first,
      count,
      indexed: count,
      length,
      language: "en",
      version: 1,
      title: "Bench",
    };
    const key = keys.document(reader.tenantId, collection.id, document.id);
    writes.push({ put: { ...key, discriminator: "document", ...document, status: "ready", placement: version } });
    return writes;
  };
  for (let first = 0; first < size; first += TRANSACTION_SIZE * PASSAGES_PER_DOCUMENT) {
    const starts = Array.from(
      { length: Math.min(TRANSACTION_SIZE, (size - first) / PASSAGES_PER_DOCUMENT) },
      (_, index) => first + index * PASSAGES_PER_DOCUMENT,
    );
    await store(toBatches(starts.flatMap(newPassages)));
  }

  const averageLength = Math.round(length / size);
  const collectionTag = toCollectionTag(collection.id);
  const newBlocks = (term: string, packed: readonly number[]): Write[] => {
    const postings = packed
      .map((value): Posting => {
        const inText = value % (MAX_OCCURRENCES + 1);
        const passage = (value - inText) / (MAX_OCCURRENCES + 1);
        return { passage, inText, inTitle: 0, length: averageLength, collectionTag };
      })
      .map((posting) => ({ posting, rank: toRank(posting) }))
      .sort((one, other) => (one.rank < other.rank ? -1 : 1));
    const blocks = Math.ceil(postings.length / BLOCK_POSTINGS);
    return Array.from({ length: blocks }, (_, index) => {
      const block = postings.slice(index * BLOCK_POSTINGS, (index + 1) * BLOCK_POSTINGS);
      const start = index === 0 ? FIRST_BLOCK_START : (block[0]?.rank ?? "");
      const head = index === 0 && { version: 1, total: postings.length, blocks: blocks - 1 };
      const encoded = encodePostings(block.map(({ posting }) => posting));
      const key = keys.postings(reader.tenantId, AUDIENCE, term, start);
      return { put: { ...key, discriminator: "postings", postings: encoded, ...head } };
    });
  };
  let pending: Write[] = [];
  for (const [term, packed] of postingsByTerm) {
    pending.push(...newBlocks(term, packed));
    if (pending.length < 20 * TRANSACTION_SIZE) continue;
    await store(toBatches(pending));
    pending = [];
  }
  await store(toBatches(pending));
  await store([statisticsWrites(reader, [{ audience: AUDIENCE, language: "en", passages: size, length }])]);
}

const toBatches = (writes: readonly Write[]): Write[][] =>
  Array.from({ length: Math.ceil(writes.length / TRANSACTION_SIZE) }, (_, index) =>
    writes.slice(index * TRANSACTION_SIZE, (index + 1) * TRANSACTION_SIZE),
  );
