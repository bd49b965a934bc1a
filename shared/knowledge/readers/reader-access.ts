import { GROUP_READER } from "../../api/knowledge/reader-names.ts";
import { isUserId, SERVICE_PREFIX } from "../../api/user-ids.ts";
import { notFound } from "../../lib/errors.ts";
import { listGroupIdsOfUser } from "../../tenancy/group-store.ts";
import type { KnowledgeReader } from "../knowledge-access.ts";
import { type CollectionAccess, type DocumentAccess, groupReader, personReader, toClauses } from "./audiences.ts";

/**
 * Decides what a reader may read now. Groups are read at most once, and only if the answer depends on them, so that readers
 * of knowledge without groups cost nothing. Create one for each request or search: it does not notice later changes.
 */
export class ReaderAccess implements KnowledgeReader {
  readonly tenantId: string;
  readonly userId: string | null;
  readonly #completedSyncs = new Map<string, number>();
  #groups: Promise<ReadonlySet<string>> | undefined;

  constructor({ tenantId, userId }: KnowledgeReader) {
    this.tenantId = tenantId;
    this.userId = userId;
  }

  static of(reader: KnowledgeReader): ReaderAccess {
    return reader instanceof ReaderAccess ? reader : new ReaderAccess(reader);
  }

  /**
   * Returns the number of completed syncs of a collection when it was first asked, so that a search with several reads does not
   * see one half of its documents before a sync and the other half after it.
   */
  completedSyncs({ id, completed_syncs }: { readonly id: string; readonly completed_syncs: number }): number {
    const first = this.#completedSyncs.get(id) ?? completed_syncs;
    this.#completedSyncs.set(id, first);
    return first;
  }

  /** Returns the groups of the reader as `group:<id>`. API keys and widget visitors have none. */
  groups(): Promise<ReadonlySet<string>> {
    this.#groups ??= this.#readGroups();
    return this.#groups;
  }

  async #readGroups(): Promise<ReadonlySet<string>> {
    const { userId } = this;
    if (userId === null || !isUserId(userId) || userId.startsWith(SERVICE_PREFIX)) return new Set();
    return new Set((await listGroupIdsOfUser(this, userId)).map(groupReader));
  }

  /** Returns true if the reader may read a collection, or a document in it. */
  async canRead(collection: CollectionAccess, document?: DocumentAccess): Promise<boolean> {
    const self = this.userId === null ? null : personReader(this.userId);
    const others = toClauses(collection, document).filter((clause) => self === null || !clause.includes(self));
    if (others.length === 0) return true;
    if (self === null || others.some((clause) => !clause.some((reader) => reader.startsWith(GROUP_READER))))
      return false;
    const groups = await this.groups();
    return others.every((clause) => clause.some((reader) => groups.has(reader)));
  }

  /**
   * Requires that the reader may read a collection, or a document in it.
   * @throws ServiceError `not_found`
   */
  async authorize(collection: CollectionAccess, document?: DocumentAccess): Promise<void> {
    if (!(await this.canRead(collection, document))) throw notFound();
  }
}
