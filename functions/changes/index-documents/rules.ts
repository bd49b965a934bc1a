import { isDeepStrictEqual } from "node:util";
import type { Collection } from "#shared/api/knowledge/collections.ts";
import { UPLOAD_SECONDS } from "#shared/api/limits.ts";
import { microBatch } from "#shared/changes/micro-batch.ts";
import type { Change, ChangeRule } from "#shared/changes/processor.ts";
import { readMessage } from "#shared/conversations/message-store.ts";
import type { Item } from "#shared/dynamodb/table.ts";
import { scopeFromKey } from "#shared/dynamodb/tenant-scope.ts";
import { findEmbeddingSpace } from "#shared/embeddings/embedding-provider.ts";
import type { DocumentRef } from "#shared/knowledge/document-store.ts";
import { purgeCollection, reindexCollection, reindexDocument } from "#shared/knowledge/indexing/collection-changes.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import type { Audience } from "#shared/knowledge/knowledge-access.ts";
import { scheduleSync } from "#shared/knowledge/syncs/apply-sync.ts";
import { scheduleEmbedding } from "#shared/knowledge/vectors/embed-passages.ts";
import { sendToQueue } from "#shared/lib/aws/sqs.ts";
import { env, findSetting } from "#shared/lib/env.ts";
import { type MessageChange, reconcileMessages } from "#shared/message-search/index-messages.ts";

type Image = Record<string, unknown>;

interface ChangedDocument extends DocumentRef {
  readonly tenantId: string;
}

/** @throws Error when the attribute is missing, which means that the record is malformed */
function requireText(image: Image, name: string): string {
  const value = image[name];
  if (typeof value !== "string" || value === "") throw new Error(`Stream record has no ${name}`);
  return value;
}

/** Indexes the documents of one batch of changes together, so that each term that they share is written only once. */
const indexBatch = microBatch(async (changed: readonly ChangedDocument[]) => {
  for (const [tenantId, documents] of Map.groupBy(changed, (document) => document.tenantId)) {
    const refs = new Map(documents.map(({ id, collection_id }) => [id, { id, collection_id }]));
    await reconcileDocuments({ tenantId }, [...refs.values()]);
  }
});

interface ChangedMessage extends MessageChange {
  readonly tenantId: string;
}

/** Indexes the messages of one batch of changes together, because a question and its answer share words. */
const indexMessageBatch = microBatch(async (changed: readonly ChangedMessage[]) => {
  for (const [tenantId, changes] of Map.groupBy(changed, (change) => change.tenantId)) {
    await reconcileMessages({ tenantId }, changes);
  }
});

const toMessage = (image: Image | undefined) => image && readMessage(image as Item);

const changesIndex = ({ before, after }: Pick<Change, "before" | "after">) =>
  !before ||
  !after ||
  before.status !== after.status ||
  before.handed_to !== after.handed_to ||
  JSON.stringify(before.content) !== JSON.stringify(after.content);

/** Returns true if a changed document must be indexed, removed from the index, or freed of old versions. */
function needsReconciliation({ status, stage, awaits_file, deleted, retired }: Image): boolean {
  const isPending = status === "indexing" && awaits_file !== true && stage !== "staged";
  return deleted === true || retired !== undefined || isPending;
}

/** Sends the first job of an import, or the first job of its next run, to the queue. */
async function sendImport(image: Image, run?: number): Promise<void> {
  const { tenantId } = scopeFromKey(requireText(image, "pk"));
  const { RUN_IMPORT_QUEUE_URL } = env("RUN_IMPORT_QUEUE_URL");
  const { id, collection_id } = image;
  await sendToQueue(RUN_IMPORT_QUEUE_URL, JSON.stringify({ tenantId, id, collection_id, run }), 0, tenantId);
}

/** Updates the search indexes when documents, collections and messages change. */
export const indexRules: readonly ChangeRule[] = [
  {
    id: "index-document",
    on: ["document-created", "document-updated", "document-deleted"],
    // At least the size of a delivery, so that its documents form one batch.
    concurrency: 400,
    apply: async ({ after }) => {
      if (!after || !needsReconciliation(after)) return;
      const { tenantId } = scopeFromKey(requireText(after, "pk"));
      await indexBatch({ tenantId, id: requireText(after, "id"), collection_id: requireText(after, "collection_id") });
    },
  },
  {
    id: "index-message",
    on: ["message-created", "message-updated", "message-deleted"],
    concurrency: 400,
    apply: async ({ before, after }) => {
      // An indexed message is removed also after the search was switched off.
      const isNew = before === undefined;
      if (!changesIndex({ before, after }) || (isNew && findSetting("MESSAGE_SEARCH") !== "on")) return;
      const { tenantId } = scopeFromKey(requireText((after ?? before) as Image, "pk"));
      await indexMessageBatch({ tenantId, before: toMessage(before), after: toMessage(after) });
    },
  },
  {
    id: "check-upload",
    on: ["document-created", "document-updated"],
    apply: async ({ before, after }) => {
      if (!after?.awaits_file || before?.version === after.version) return;
      const { tenantId } = scopeFromKey(requireText(after, "pk"));
      const { PROCESS_FILE_QUEUE_URL } = env("PROCESS_FILE_QUEUE_URL");
      const { id, collection_id, version } = after;
      const message = JSON.stringify({ tenantId, id, collection_id, version });
      // The upload is overdue when its URL has expired.
      await sendToQueue(PROCESS_FILE_QUEUE_URL, message, UPLOAD_SECONDS);
    },
  },
  {
    id: "embed-passages",
    on: ["vector-state-created", "vector-state-updated"],
    apply: async ({ before, after }) => {
      // Without embeddings, a deployment has no queue for this: a state can be from before, or of a tenant that was moved here.
      if (!after || before?.space === after.space || findEmbeddingSpace() === null) return;
      const { tenantId } = scopeFromKey(requireText(after, "pk"));
      const audience = requireText(after, "audience") as Audience;
      await scheduleEmbedding({ tenantId, audience, space: requireText(after, "space") });
    },
  },
  {
    id: "run-import",
    on: ["knowledge-import-created", "knowledge-import-updated"],
    apply: async ({ before, after }) => {
      if (after?.status !== "running" || before?.run === after.run) return;
      await sendImport(after, Number(after.run));
    },
  },
  {
    id: "run-sync",
    on: ["sync-updated"],
    apply: async ({ before, after }) => {
      if (after?.status !== "applying" || before?.status === "applying") return;
      const { tenantId } = scopeFromKey(requireText(after, "pk"));
      const [collection_id, sync_id] = [requireText(after, "collection_id"), requireText(after, "id")];
      await scheduleSync({ tenantId, collection_id, sync_id });
    },
  },
  {
    // When the timer item of an import expires, the import runs again.
    id: "refresh-import",
    on: ["import-timer-deleted"],
    apply: async ({ before, timestamp }) => {
      if (before && Number(before.ttl) * 1_000 <= timestamp) await sendImport(before);
    },
  },
  {
    id: "purge-collection",
    on: ["collection-deleted"],
    apply: async ({ after }) => {
      if (after) await purgeCollection(scopeFromKey(requireText(after, "pk")), requireText(after, "id"));
    },
  },
  {
    id: "move-collection",
    on: ["collection-updated"],
    apply: async ({ before, after }) => {
      if (!after || (isDeepStrictEqual(before?.readers, after.readers) && before?.owner_id === after.owner_id)) return;
      await reindexCollection(scopeFromKey(requireText(after, "pk")), after as unknown as Collection);
    },
  },
  {
    id: "move-document",
    on: ["document-updated"],
    apply: async ({ before, after }) => {
      if (!after || isDeepStrictEqual(before?.readers, after.readers)) return;
      const ref = { id: requireText(after, "id"), collection_id: requireText(after, "collection_id") };
      await reindexDocument(scopeFromKey(requireText(after, "pk")), ref);
    },
  },
];
