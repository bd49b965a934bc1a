import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { findItemType } from "../../dynamodb/item-types.ts";
import { userOwner } from "../../dynamodb/key-owner.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { partitionsOfItem, tenantPartitions, userPartitions } from "../../dynamodb/partitions.ts";
import { equals, type Item, ignoreConditionFailed, type Key } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { deleteCollectionWrites, readCollection } from "../../knowledge/collection-store.ts";
import { findLists } from "../../knowledge/readers/reader-audiences.ts";
import { deleteCodePages } from "../../knowledge/vectors/code-pages.ts";
import { now } from "../../lib/clock.ts";
import { getAdministeredTenant } from "../../tenancy/tenant-admin-store.ts";
import { completeTenantDeletion, deleteRecorded } from "../../tenancy/tenant-deletion-store.ts";
import { scheduleTenantDeletion } from "./schedule-tenant-deletion.ts";
import { audiencesOf, collectionsOf, conversationsOf, lookups } from "./tenant-partitions.ts";

/** Number of items per page. They are deleted in one transaction, which has at most 100 writes. */
const PAGE_SIZE = 50;

/** Time after which a job stops and enqueues a message that continues it. */
const MAX_JOB_DURATION_MS = 30_000;

/**
 * Delay between two searches. In this time, stream processors delete items that depend on the deleted ones, and write
 * audit events.
 */
const PASS_DELAY_SECONDS = 5;

/**
 * Time after a suspension from which no function writes for the tenant. If a search that starts later finds nothing,
 * the deletion is complete.
 */
const SUSPENSION_MS = 45_000;

/**
 * Delay of the search that verifies a complete deletion. No function runs longer, and it is the maximum delay of a
 * queue.
 */
const VERIFICATION_DELAY_SECONDS = 900;

/** Thrown when the time of a job is over. */
class TimeIsUp extends Error {}

/**
 * Search for all items of a tenant. It deletes them as it finds them; items that depend on another are deleted before
 * it.
 */
class Search {
  readonly #scope: TenantScope;
  readonly #deadlineMs: number;
  /** Number of items and collections that the search has deleted. */
  found = 0;

  constructor(tenantId: string, deadlineMs: number) {
    this.#scope = { tenantId };
    this.#deadlineMs = deadlineMs;
  }

  async run(): Promise<void> {
    const { tenantId } = this.#scope;
    await this.#forEachUser((user) => this.#emptyContentsOf(user));
    await this.#deleteCollections(null);
    const last = [keys.tenant(tenantId).pk, keys.auditHead(tenantId).pk];
    for (const pk of tenantPartitions(tenantId)) if (!last.includes(pk)) await this.#empty(pk);
    await this.#emptyConversations(indexKeys.investigations(tenantId, "").gsi1pk);
    await this.#emptyConversations(indexKeys.visitorSession(tenantId, "", "").gsi1pk);
    // Processors need the search indexes and the users until all documents and messages are gone.
    if (this.found > 0) return;
    await this.#emptySearchIndexes(null);
    await this.#forEachUser(async (user) => {
      await this.#emptySearchIndexes(user);
      await this.#empty(keys.user(tenantId, user).pk);
    });
    await this.#empty(keys.auditHead(tenantId).pk);
  }

  /** Deletes all items of a partition and the items that depend on them. */
  async #empty(pk: string): Promise<void> {
    for (;;) {
      if (now() > this.#deadlineMs) throw new TimeIsUp();
      const items = await tenantTable(this.#scope).query({ pk, limit: PAGE_SIZE, consistent: true });
      if (items.length === 0) return;
      for (const item of items) await this.#deleteDependents(item);
      await this.#delete(items);
    }
  }

  async #deleteDependents(item: Item): Promise<void> {
    const type = String(item.discriminator);
    for (const pk of partitionsOfItem(this.#scope.tenantId, item)) await this.#empty(pk);
    for (const lookup of [lookups[type]?.(item) ?? []].flat()) await this.#deleteLookup(lookup);
  }

  async #deleteLookup(key: Key): Promise<void> {
    const condition = equals({ tenant_id: this.#scope.tenantId });
    await tenantTable(this.#scope).write({ delete: key, condition }).catch(ignoreConditionFailed);
  }

  async #delete(items: readonly Item[]): Promise<void> {
    const types = Map.groupBy(items, (item) => findItemType(item) ?? String(item.discriminator));
    await deleteRecorded(this.#scope, items, Object.fromEntries([...types].map(([type, list]) => [type, list.length])));
    this.found += items.length;
  }

  /** Calls `apply` with each item of an index partition. The index may still list items that are already deleted. */
  async #forEachListed(index: string, apply: (item: Item) => Promise<void>): Promise<void> {
    for (let after: string | undefined; ; ) {
      const query = { index: "gsi1", pk: index, limit: PAGE_SIZE, ...(after !== undefined && { after }) } as const;
      const items = await tenantTable(this.#scope).query(query);
      for (const item of items) await apply(item);
      after = String(items.at(-1)?.gsi1sk);
      if (items.length < PAGE_SIZE) return;
    }
  }

  #forEachUser(apply: (userId: string) => Promise<void>): Promise<void> {
    const { gsi1pk } = indexKeys.userOfTenant(this.#scope.tenantId, "");
    return this.#forEachListed(gsi1pk, ({ user_id }) => apply(String(user_id)));
  }

  async #emptyContentsOf(user: string): Promise<void> {
    const { tenantId } = this.#scope;
    await this.#emptyConversations(conversationsOf(tenantId, user));
    await this.#deleteCollections(user);
    for (const pk of userPartitions(tenantId, user)) await this.#empty(pk);
  }

  /** Deletes the partitions of all conversations in an index partition. */
  #emptyConversations(index: string): Promise<void> {
    return this.#forEachListed(index, ({ pk }) => this.#empty(pk));
  }

  /**
   * Deletes the collections of a user, or those of the tenant for null, in the way that owners do, so that stream
   * processors remove their documents from the search index.
   */
  async #deleteCollections(user: string | null): Promise<void> {
    for (const index of collectionsOf(this.#scope.tenantId, user)) {
      await this.#forEachListed(index, async (item) => {
        this.found += 1;
        // The entry of the index may be out of date.
        const current = await tenantTable(this.#scope).get({ pk: item.pk, sk: item.sk }, { consistent: true });
        if (!current || current.deleted) return;
        await tenantTable(this.#scope).transact(deleteCollectionWrites(this.#scope, readCollection(current)));
      });
    }
  }

  /**
   * Deletes the remains of the search indexes of a user, or of the tenant for null: statistics, and pages without
   * entries. Each list of readers names the owner of a collection, so that those of the users are all lists.
   */
  async #emptySearchIndexes(user: string | null): Promise<void> {
    const { tenantId } = this.#scope;
    const own = user === null ? [] : [keys.indexStatistics(tenantId, userOwner(user))];
    const lists = (await batchGetAll(tenantTable(this.#scope), own, { consistent: true })).flatMap(findLists);
    for (const audience of [...lists, ...audiencesOf(user)]) {
      const key = keys.indexStatistics(tenantId, audience);
      const statistics = await tenantTable(this.#scope).get(key, { consistent: true });
      const state = await tenantTable(this.#scope).get(keys.vectorState(tenantId, audience), { consistent: true });
      if (state) {
        const set = { audience, space: String(state.space), codeBytes: 0 };
        await deleteCodePages(this.#scope, set, Number(statistics?.next ?? 0));
      }
      for (let passage = 0; passage < Number(statistics?.next ?? 0); passage += 256) {
        await this.#empty(keys.passage(tenantId, audience, passage).pk);
      }
      await this.#empty(key.pk);
    }
  }
}

/**
 * Deletes all items of a tenant in repeated searches, each from the beginning, because deleted items are no longer
 * found. The deletion is complete when a search that began after the suspension took effect finds nothing. A later
 * search deletes what answers and jobs in progress may have stored since.
 */
export async function deleteTenant(tenantId: string): Promise<void> {
  const startedAtMs = now();
  const tenant = await getAdministeredTenant({ tenantId });
  if (!tenant.deletion_requested_at) return;
  const search = new Search(tenantId, startedAtMs + MAX_JOB_DURATION_MS);
  try {
    await search.run();
  } catch (error) {
    if (!(error instanceof TimeIsUp)) throw error;
    return scheduleTenantDeletion(tenantId);
  }
  const isFinal = startedAtMs > Date.parse(tenant.deletion_requested_at) + SUSPENSION_MS;
  if (search.found > 0 || !isFinal) return scheduleTenantDeletion(tenantId, PASS_DELAY_SECONDS);
  if (tenant.deletion_completed_at) return;
  const condition = equals({ tenant_id: tenantId });
  await tenantTable({ tenantId })
    .write({ delete: keys.slug(tenant.slug), condition })
    .catch(ignoreConditionFailed);
  await completeTenantDeletion({ tenantId });
  await scheduleTenantDeletion(tenantId, VERIFICATION_DELAY_SECONDS);
}
