import type { ContextPassage, TestItem } from "../api/evaluations/test-items.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { findReadableDocuments } from "../knowledge/search/readable-documents.ts";
import { ServiceError } from "../lib/errors.ts";

type Recorded = Pick<TestItem, "source">;

const isDenied = (error: unknown) => error instanceof ServiceError && error.status < 500;

/** Rights of a user to what test items were made from, as they are now. Each conversation is checked once. */
export class SourceReader {
  readonly #principal: UserPrincipal;
  readonly #byConversation = new Map<string, Promise<boolean>>();

  constructor(principal: UserPrincipal) {
    this.#principal = principal;
  }

  /** Returns true if the user may read the source of an item, or it has none. */
  canRead({ source }: Recorded): Promise<boolean> {
    if (!source) return Promise.resolve(true);
    const { conversation_id: id } = source;
    const known = this.#byConversation.get(id) ?? this.#canReadConversation(id);
    this.#byConversation.set(id, known);
    return known;
  }

  async #canReadConversation(id: string): Promise<boolean> {
    try {
      await authorizeConversation(this.#principal, id, "READ");
      return true;
    } catch (error) {
      if (!isDenied(error)) throw error;
      return false;
    }
  }

  /** Returns an item without the passages of documents that the user may not read. */
  async withReadablePassages<Item extends Pick<TestItem, "context">>(item: Item): Promise<Item> {
    const { passages } = item.context;
    const refs = (passages ?? []).flatMap(({ document_id, collection_id }) =>
      document_id !== null && collection_id !== null ? [{ document_id, collection_id }] : [],
    );
    if (!passages || refs.length === 0) return item;
    const readable = await findReadableDocuments(this.#principal, refs);
    const isReadable = ({ document_id }: ContextPassage) => document_id === null || readable.has(document_id);
    return { ...item, context: { ...item.context, passages: passages.filter(isReadable) } };
  }
}
