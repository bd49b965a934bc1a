import type { Block } from "../../api/blocks.ts";
import { HIDDEN_SOURCE_TITLE, HIDDEN_SOURCE_TYPE } from "../../api/knowledge/hidden-source.ts";
import type { MessageDocument } from "../../api/message-document.ts";
import { findCollections } from "../collection-store.ts";
import { type DocumentRef, findDocuments } from "../document-store.ts";
import type { KnowledgeReader } from "../knowledge-access.ts";
import { asVisible } from "../staged.ts";
import { ReaderAccess } from "./reader-access.ts";

type CitationBlock = Extract<Block, { type: "citation" }>;

/** Source in an answer or event. Web pages and files have no collection. */
interface CitedSource {
  readonly collection_id: string | null;
  readonly document_id?: string | undefined;
}

/** Message with the sources of its answer and the documents that its question names. */
interface CitingMessage {
  readonly content: readonly Block[];
  readonly documents?: readonly MessageDocument[] | undefined;
  readonly author_id?: string | null | undefined;
  /** Id of the user who asked. */
  readonly asked_by?: string | undefined;
}

const hidden = {
  ...{ source_id: "", source_type: HIDDEN_SOURCE_TYPE, title: HIDDEN_SOURCE_TITLE },
  ...{ collection_id: null, uri: null, score: 0 },
} as const;

const keyOf = ({ collection_id, document_id }: CitedSource) => `${collection_id} ${document_id ?? ""}`;

/**
 * Returns a function that decides which of the sources the reader may read now. What was deleted has no readers any more: only
 * the user who asked still sees what the answer cited then.
 */
async function readSourceAccess(
  reader: KnowledgeReader,
  sources: readonly CitedSource[],
): Promise<(source: CitedSource, isAsker: boolean) => boolean> {
  const access = ReaderAccess.of(reader);
  const ofKnowledge = sources.flatMap(({ collection_id, document_id }) =>
    collection_id === null ? [] : [{ collection_id, document_id }],
  );
  const distinct = [...new Map(ofKnowledge.map((source) => [keyOf(source), source])).values()];
  if (distinct.length === 0) return () => true;
  const refs = distinct.flatMap(({ collection_id, document_id: id }): DocumentRef[] =>
    id ? [{ collection_id, id }] : [],
  );
  const [collections, documents] = await Promise.all([
    findCollections(access, [...new Set(distinct.map(({ collection_id }) => collection_id))]),
    findDocuments(access, refs),
  ]);
  const collectionsById = new Map(collections.map((collection) => [collection.id, collection]));
  const documentsByKey = new Map(
    documents.map((document) => [keyOf({ collection_id: document.collection_id, document_id: document.id }), document]),
  );
  /** By source; null for one that was deleted. */
  const readable = new Map<string, boolean | null>();
  for (const source of distinct) {
    const collection = collectionsById.get(source.collection_id);
    const found = documentsByKey.get(keyOf(source));
    const document = found && collection && asVisible(found, collection.completed_syncs);
    const isDeleted = !collection || (source.document_id && (!document || document.deleted));
    readable.set(keyOf(source), isDeleted ? null : await access.canRead(collection, document));
  }
  return (source, isAsker) => source.collection_id === null || (readable.get(keyOf(source)) ?? isAsker);
}

const isCitation = (block: Block): block is CitationBlock => block.type === "citation";

const isAskerOf = ({ userId }: KnowledgeReader, askerId: string | null | undefined) =>
  userId !== null && userId === askerId;

/** Replaces citations by ones that tell nothing but that there is a source; returns the same blocks if all are readable. */
function hideInBlocks(blocks: readonly Block[], isReadable: (source: CitedSource) => boolean): readonly Block[] {
  if (blocks.every((block) => !isCitation(block) || isReadable(block))) return blocks;
  return blocks.map((block) =>
    isCitation(block) && !isReadable(block) ? { type: block.type, index: block.index, ...hidden, quote: "" } : block,
  );
}

/**
 * Returns messages as a reader sees them now: citations of sources that the reader may not read tell nothing but that there is
 * one, and documents that a question names are left out. Messages without sources cost no reads, all others two batches.
 */
export async function hideSources<Message extends CitingMessage>(
  reader: KnowledgeReader,
  messages: readonly Message[],
): Promise<Message[]> {
  const sources = messages.flatMap(({ content, documents = [] }) => [...content.filter(isCitation), ...documents]);
  const canRead = await readSourceAccess(reader, sources);
  return messages.map((message) => {
    const { content, documents, asked_by, author_id } = message;
    const isAsker = isAskerOf(reader, asked_by ?? author_id);
    const isReadable = (source: CitedSource) => canRead(source, isAsker);
    const blocks = hideInBlocks(content, isReadable);
    const named = documents?.filter(isReadable);
    if (blocks === content && named?.length === documents?.length) return message;
    const { documents: _, ...rest } = message;
    return { ...rest, content: blocks, ...(named && named.length > 0 && { documents: named }) } as Message;
  });
}

/** Event of a run that can name sources. */
interface SourceEvent {
  readonly type: string;
  readonly data: unknown;
}

/**
 * Returns an event of a run as a reader sees it now, see `hideSources`.
 * @param askerId id of the user whose question the run answers
 */
export async function hideSourcesOfEvent<Event extends SourceEvent>(
  reader: KnowledgeReader,
  event: Event,
  askerId: string | undefined,
): Promise<Event> {
  const data = event.data as { readonly content?: unknown; readonly sources?: unknown };
  const isAsker = isAskerOf(reader, askerId);
  if (event.type === "assistant_message" && Array.isArray(data.content)) {
    const blocks = data.content as readonly Block[];
    const canRead = await readSourceAccess(reader, blocks.filter(isCitation));
    return { ...event, data: { ...data, content: hideInBlocks(blocks, (source) => canRead(source, isAsker)) } };
  }
  if (event.type !== "search_transparency" || !Array.isArray(data.sources)) return event;
  const sources = data.sources as readonly CitedSource[];
  const canRead = await readSourceAccess(reader, sources);
  const visible = sources.map((source) => (canRead(source, isAsker) ? source : { ...hidden, snippet: "" }));
  return { ...event, data: { ...data, sources: visible } };
}
