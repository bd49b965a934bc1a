import { toUserActor } from "../../dynamodb/audit-attribution.ts";
import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { exists, type Item, ignoreConditionFailed, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../../lib/aws/sqs.ts";
import { now } from "../../lib/clock.ts";
import { env } from "../../lib/env.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { findCollections, type StoredCollection } from "../collection-store.ts";
import { deleteDocument, findDocuments, type StoredDocument, toDocumentKey } from "../document-store.ts";
import { applyStaged } from "../indexing/apply-staged.ts";
import { ignoreAlreadyCounted } from "../indexing/ignore-gone.ts";
import { isWorthRetrying, readEntry, readRemoval, type StoredEntry, toEntryKey, toFailures } from "./sync-entries.ts";
import {
  completedSyncsWrite,
  endWrite,
  findSync,
  mergeFailures,
  type StoredSync,
  type SyncJob,
  stepWrite,
  syncSteps,
} from "./sync-store.ts";

/** Number of entries that one query reads. */
const BATCH_SIZE = 200;

/** Time after which a job leaves the rest to the next one. The function's timeout is a minute. */
const MAX_JOB_MS = 20_000;

/** Delay before documents that are not indexed yet are looked at again. */
const SETTLE_SECONDS = 2;

/**
 * Time before and after the moment at which staged documents become visible, within which a search that began before has ended:
 * it would see documents in two states.
 */
const SEARCH_SECONDS = 2;

/** Result of a step: the next job continues it, or begins the next step, after a delay. */
interface Outcome {
  readonly isDone: boolean;
  readonly delaySeconds: number;
}

const done: Outcome = { isDone: true, delaySeconds: 0 };

const isSettled = (document: StoredDocument) =>
  document.deleted || document.status !== "indexing" || document.stage === "staged";

/** Applies a sync that its client has completed, step by step. Every step can be repeated. */
class SyncApplication {
  readonly #scope: TenantScope;
  readonly #collection: StoredCollection;
  readonly #deadlineMs: number;
  #sync: StoredSync;

  constructor(scope: TenantScope, collection: StoredCollection, sync: StoredSync, deadlineMs: number) {
    this.#scope = scope;
    this.#collection = collection;
    this.#sync = sync;
    this.#deadlineMs = deadlineMs;
  }

  /** @returns the delay before the next job; null if the sync is completed */
  async run(): Promise<number | null> {
    for (const step of syncSteps.slice(syncSteps.indexOf(this.#sync.step ?? "settle"))) {
      const { isDone, delaySeconds } = await this[step]();
      if (!isDone) return delaySeconds;
      const next = syncSteps[syncSteps.indexOf(step) + 1];
      if (next === undefined) break;
      await this.#record({ step: next, position: null });
      if (delaySeconds > 0) return delaySeconds;
    }
    await tenantTable(this.#scope)
      .write(endWrite(this.#scope, this.#sync, "completed"))
      .catch(ignoreConditionFailed);
    return null;
  }

  async #record(changes: Parameters<typeof stepWrite>[2]): Promise<void> {
    await tenantTable(this.#scope).write(stepWrite(this.#scope, this.#sync, changes));
    this.#sync = { ...this.#sync, ...changes };
  }

  /**
   * Passes items with a prefix to `work` in batches, from where the last job of the step stopped.
   * @param work returns false if the batch must be repeated later
   */
  async #walk(prefix: string, work: (items: Item[]) => Promise<boolean>): Promise<Outcome> {
    const { pk } = keys.sync(this.#scope.tenantId, this.#collection.id);
    for (;;) {
      const after = this.#sync.position ?? undefined;
      const items = await tenantTable(this.#scope).query({ pk, prefix, after, limit: BATCH_SIZE, consistent: true });
      if (!(await work(items))) return { isDone: false, delaySeconds: SETTLE_SECONDS };
      if (items.length < BATCH_SIZE) return done;
      await this.#record({ position: items.at(-1)?.sk ?? null });
      if (now() > this.#deadlineMs) return { isDone: false, delaySeconds: 0 };
    }
  }

  async #documentsOf(entries: readonly StoredEntry[]): Promise<Map<string, StoredDocument>> {
    const refs = entries.map(({ document_id: id }) => ({ id, collection_id: this.#collection.id }));
    return new Map((await findDocuments(this.#scope, refs)).map((document) => [document.id, document]));
  }

  /** Waits until all staged documents are indexed or have failed. */
  settle = (): Promise<Outcome> =>
    this.#walk(keyPrefixes.syncEntry, async (items) => {
      const pending = items.map(readEntry).filter((entry) => entry.pending);
      const documents = await this.#documentsOf(pending);
      if (![...documents.values()].every(isSettled)) return false;
      const failures = pending.flatMap(({ path, document_id }) => {
        const document = documents.get(document_id);
        return document ? toFailures(path, document) : [];
      });
      const { failed, failures: before } = this.#sync;
      const recorded = mergeFailures(before, failures);
      if (failures.length > 0) await this.#record({ failed: failed + failures.length, failures: recorded });
      return true;
    });

  /** Marks the documents that will be removed. */
  mark = async (): Promise<Outcome> => {
    const set = { staged_in: this.#sync.number, staged_removal: true, timestamp: now() };
    const outcome = await this.#walk(keyPrefixes.syncRemoval, async (items) => {
      await mapConcurrent(items.map(readRemoval), ({ document_id: id }) => {
        const update = toDocumentKey(this.#scope, { id, collection_id: this.#collection.id });
        return tenantTable(this.#scope).write({ update, set, condition: exists() }).catch(ignoreConditionFailed);
      });
      return true;
    });
    return outcome.isDone ? { isDone: true, delaySeconds: SEARCH_SECONDS } : outcome;
  };

  /** Shows all staged documents, and hides the removed ones, by one write. */
  show = async (): Promise<Outcome> => {
    const { number } = this.#sync;
    await tenantTable(this.#scope).transact([
      completedSyncsWrite(this.#scope, this.#collection.id, number),
      stepWrite(this.#scope, this.#sync, { step: "apply", position: null }),
    ]);
    this.#sync = { ...this.#sync, step: "apply", position: null };
    return { isDone: true, delaySeconds: SEARCH_SECONDS };
  };

  /** Updates the documents that are visible in their staged state. */
  apply = (): Promise<Outcome> =>
    this.#walk(keyPrefixes.syncEntry, async (items) => {
      const pending = items.map(readEntry).filter((entry) => entry.pending);
      const documents = await this.#documentsOf(pending);
      await applyStaged(this.#scope, [...documents.values()]);
      await mapConcurrent(pending, ({ path, document_id }) => {
        const document = documents.get(document_id);
        const isLost = !document || isWorthRetrying(document);
        const update = toEntryKey(this.#scope, this.#collection.id, path);
        const isFailed = !isLost && toFailures(path, document).length > 0;
        const set = { ...(isLost && { hash: "" }), ...(isFailed && { failed: true }) };
        const write: Write = { update, set, remove: ["pending"], condition: exists() };
        return tenantTable(this.#scope).write(write).catch(ignoreConditionFailed);
      });
      return true;
    });

  /** Deletes the removed documents. */
  remove = (): Promise<Outcome> =>
    this.#walk(keyPrefixes.syncRemoval, async (items) => {
      const removals = items.map(readRemoval);
      const refs = removals.map(({ document_id: id }) => ({ id, collection_id: this.#collection.id }));
      const documents = (await findDocuments(this.#scope, refs)).filter(({ deleted }) => !deleted);
      await mapConcurrent(documents, (document) => deleteDocument(this.#scope, document).catch(ignoreAlreadyCounted));
      const entries = removals.map(({ path }) => toEntryKey(this.#scope, this.#collection.id, path));
      await tenantTable(this.#scope).deleteMany([...entries, ...items]);
      return true;
    });
}

/** Sends a job to the queue of imports, whose jobs of one tenant do not delay those of another. */
export function scheduleSync(job: SyncJob, delaySeconds = 0): Promise<void> {
  const { RUN_IMPORT_QUEUE_URL } = env("RUN_IMPORT_QUEUE_URL");
  return sendToQueue(RUN_IMPORT_QUEUE_URL, JSON.stringify(job), delaySeconds, job.tenantId);
}

/** Applies a sync as far as the time of a job permits, and schedules the next job. Idempotent. */
export async function applySync(job: SyncJob): Promise<void> {
  const sync = await findSync(job, job.collection_id);
  const [collection] = await findCollections(job, [job.collection_id]);
  if (!collection || sync?.id !== job.sync_id || sync.status !== "applying") return;
  const scope = { tenantId: job.tenantId, actor: toUserActor(sync.author_id) };
  const delaySeconds = await new SyncApplication(scope, collection, sync, now() + MAX_JOB_MS).run();
  if (delaySeconds !== null) await scheduleSync(job, delaySeconds);
}

/** Marks a sync as failed whose jobs have failed repeatedly. The next one completes it first. */
export async function failSync(job: SyncJob): Promise<void> {
  const sync = await findSync(job, job.collection_id);
  if (sync?.id !== job.sync_id || sync.status !== "applying") return;
  await tenantTable(job)
    .write(endWrite(job, sync, "failed"))
    .catch(ignoreConditionFailed);
}
