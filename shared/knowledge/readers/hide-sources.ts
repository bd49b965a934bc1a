import type { Block } from "../../api/blocks.ts";
import { HIDDEN_SOURCE_TITLE, HIDDEN_SOURCE_TYPE } from "../../api/knowledge/hidden-source.ts";
import type { MessageDocument } from "../../api/message-document.ts";
import { findCollections } from "../collection-store.ts";
import { type DocumentRef, findDocuments } from "../document-store.ts";
import type { KnowledgeReader } from "../knowledge-access.ts";
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

/** Decides which sources of messages a reader may read now. */
class SourceAccess {
  readonly #access: ReaderAccess;
  /** By collection and document; null if it was deleted. */
  readonly #readable = new Map<string, Promise<boolean | null>>();

  constructor(reader: KnowledgeReader) {
    this.#access = ReaderAccess.of(reader);
  }

  /**
   * Returns true if the reader may read the source. What was deleted has no readers any more: only the user who asked still
   * sees what the answer cited then.
   */
  async canRead({ collection_id, document_id }: CitedSource, isAsker: boolean): Promise<boolean> {
    if (collection_id === null) return true;
    const key = `${collection_id} ${document_id ?? ""}`;
    const readable = this.#readable.get(key) ?? this.#read(collection_id, document_id);
    this.#readable.set(key, readable);
    return (await readable) ?? isAsker;
  }

  async #read(collection_id: string, id: string | undefined): Promise<boolean | null> {
    const refs: DocumentRef[] = id ? [{ collection_id, id }] : [];
    const [[collection], [document]] = await Promise.all([
      findCollections(this.#access, [collection_id]),
      findDocuments(this.#access, refs),
    ]);
    if (!collection || (id && (!document || document.deleted))) return null;
    return this.#access.canRead(collection, document);
  }
}

async function filterReadable<Source extends CitedSource>(
  access: SourceAccess,
  sources: readonly Source[],
  isAsker: boolean,
): Promise<Source[]> {
  const readable = await Promise.all(sources.map((source) => access.canRead(source, isAsker)));
  return sources.filter((_, index) => readable[index]);
}

async function hideInBlocks(
  access: SourceAccess,
  blocks: readonly Block[],
  isAsker: boolean,
): Promise<readonly Block[]> {
  const citations = blocks.filter((block): block is CitationBlock => block.type === "citation");
  const readable = new Set<Block>(await filterReadable(access, citations, isAsker));
  if (readable.size === citations.length) return blocks;
  return blocks.map((block) =>
    block.type === "citation" && !readable.has(block)
      ? { type: block.type, index: block.index, ...hidden, quote: "" }
      : block,
  );
}

/**
 * Returns messages as a reader sees them now: citations of sources that the reader may not read tell nothing but that there is
 * one, and documents that a question names are left out. Messages without sources cost no reads.
 */
export async function hideSources<Message extends CitingMessage>(
  reader: KnowledgeReader,
  messages: readonly Message[],
): Promise<Message[]> {
  const access = new SourceAccess(reader);
  return Promise.all(
    messages.map(async (message) => {
      const { content, documents, asked_by, author_id } = message;
      const isAsker = reader.userId !== null && reader.userId === (asked_by ?? author_id);
      const [blocks, named] = await Promise.all([
        hideInBlocks(access, content, isAsker),
        documents && filterReadable(access, documents, isAsker),
      ]);
      if (blocks === content && named?.length === documents?.length) return message;
      const { documents: _, ...rest } = message;
      return { ...rest, content: blocks, ...(named && named.length > 0 && { documents: named }) } as Message;
    }),
  );
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
  const access = new SourceAccess(reader);
  const isAsker = reader.userId !== null && reader.userId === askerId;
  if (event.type === "assistant_message" && Array.isArray(data.content)) {
    return { ...event, data: { ...data, content: await hideInBlocks(access, data.content, isAsker) } };
  }
  if (event.type !== "search_transparency" || !Array.isArray(data.sources)) return event;
  const sources = data.sources as readonly CitedSource[];
  const readable = new Set(await filterReadable(access, sources, isAsker));
  const visible = sources.map((source) => (readable.has(source) ? source : { ...hidden, snippet: "" }));
  return { ...event, data: { ...data, sources: visible } };
}
