import * as v from "valibot";
import type { Expectation } from "../api/evaluations/expectations.ts";
import { type NewTestItem, type TestContext, TestItem } from "../api/evaluations/test-items.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { absent, exists, isPerformed, notDeleted, type Write } from "../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound, requireFound } from "../lib/errors.ts";
import { sha256Bytes } from "../lib/hash.ts";

const StoredTestItem = v.object({
  ...TestItem.entries,
  context: trusted<TestContext>(),
  expectations: trusted<Expectation[]>(),
  /** Messages with texts that the item contains. It is deleted with each of them. */
  message_ids: v.optional(v.array(v.string()), []),
  /** Tokens of the answer from which the item was made, from which those of others are estimated. */
  answer_tokens: v.optional(v.number()),
});
export type StoredTestItem = v.InferOutput<typeof StoredTestItem>;

export const readTestItem = itemReader(StoredTestItem);

const normalize = (_: string, value: unknown) =>
  typeof value === "string" ? value.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ") : value;

/** Returns the id of an item: a hash of question and context that ignores case, white space and forms of characters. */
export function toTestItemId({ question, context }: Pick<NewTestItem, "question" | "context">): string {
  const { messages, files, passages, tool_results } = context;
  const hash = sha256Bytes(JSON.stringify([question, messages, files, passages, tool_results], normalize));
  return hash.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Answer from which an item is made, and the messages that it contains. */
interface Recording {
  readonly source: NonNullable<TestItem["source"]>;
  readonly messageIds: readonly string[];
  readonly answerTokens: number | undefined;
}

/** Returns an item that is not stored yet. */
export function newTestItem(
  set: { readonly id: string },
  authorId: string,
  fields: NewTestItem,
  recording?: Recording,
): StoredTestItem {
  const at = timestamp();
  return {
    id: toTestItemId(fields),
    set_id: set.id,
    ...fields,
    source: recording?.source ?? null,
    message_ids: [...(recording?.messageIds ?? [])],
    ...(recording?.answerTokens !== undefined && { answer_tokens: recording.answerTokens }),
    author_id: authorId,
    created_at: at,
    updated_at: at,
  };
}

const toKey = ({ tenantId }: TenantScope, { set_id, id, source }: Pick<StoredTestItem, "set_id" | "id" | "source">) =>
  source ? keys.recordedTestItem(tenantId, source.conversation_id, set_id, id) : keys.testItem(tenantId, set_id, id);

const ofSet = ({ tenantId }: TenantScope, setId: string) => indexKeys.testItemOfSet(tenantId, setId, "").gsi1pk;

/** Finds an item of a set without checking access to its source. */
export async function findTestItem(scope: TenantScope, setId: string, id: string): Promise<StoredTestItem | undefined> {
  // The index, in which items from conversations are found, may not have the latest ones yet.
  const item =
    (await tenantTable(scope).get(keys.testItem(scope.tenantId, setId, id), { consistent: true })) ??
    (await tenantTable(scope).query({ index: "gsi1", pk: ofSet(scope, setId), between: [id, id], limit: 1 }))[0];
  return item && readTestItem(item);
}

/**
 * Adds an item unless the set has one with its id.
 * @returns false if it has
 * @throws ServiceError `not_found` if the conversation of the item, or the set, was deleted
 */
export async function addTestItem(scope: TenantScope, item: StoredTestItem): Promise<boolean> {
  const { tenantId } = scope;
  if (await findTestItem(scope, item.set_id, item.id)) return false;
  const { source } = item;
  const parents: Write[] = [
    { check: keys.testSet(tenantId, item.set_id), condition: exists(notFound) },
    ...(source
      ? [{ check: keys.conversation(tenantId, source.conversation_id), condition: notDeleted(notFound) }]
      : []),
  ];
  const put = {
    ...toKey(scope, item),
    ...indexKeys.testItemOfSet(tenantId, item.set_id, item.id),
    discriminator: "test-item",
    timestamp: now(),
    ...item,
  };
  return isPerformed(tenantTable(scope).transact([...parents, { put, condition: absent() }]));
}

/** Changes what is expected of an item. @throws ServiceError `not_found` */
export async function updateTestItem(
  scope: TenantScope,
  item: StoredTestItem,
  changes: Partial<Pick<TestItem, "expectations" | "note">>,
): Promise<StoredTestItem> {
  const written = await tenantTable(scope).write({
    update: toKey(scope, item),
    set: { ...changes, updated_at: timestamp(), timestamp: now() },
    condition: exists(notFound),
  });
  return readTestItem(requireFound(written));
}

/** @throws ServiceError `not_found` */
export async function deleteTestItem(scope: TenantScope, item: StoredTestItem): Promise<void> {
  await tenantTable(scope).write({ delete: toKey(scope, item), condition: exists(notFound) });
}

/** Returns where the items of a set are listed. */
export const testItemsOf = (scope: TenantScope, setId: string) => ({ index: "gsi1", pk: ofSet(scope, setId) }) as const;

const SURVEY_PAGE_SIZE = 1_000;

/** Returns the number of items of a set, and the time of their latest change as ISO 8601; empty without items. */
export async function surveyItems(
  scope: TenantScope,
  setId: string,
): Promise<{ readonly items: number; readonly changedAt: string }> {
  let [items, changedAt] = [0, ""];
  for (let after: string | undefined; ; ) {
    const query = { ...testItemsOf(scope, setId), attributes: ["updated_at"], after, limit: SURVEY_PAGE_SIZE };
    const page = await tenantTable(scope).query(query);
    items += page.length;
    for (const { updated_at } of page) if (String(updated_at) > changedAt) changedAt = String(updated_at);
    if (page.length < SURVEY_PAGE_SIZE) return { items, changedAt };
    after = String(page.at(-1)?.gsi1sk);
  }
}

/** Deletes the items of a deleted set. */
export async function purgeTestItems(scope: TenantScope, setId: string): Promise<void> {
  const table = tenantTable(scope);
  for (const query of [
    { pk: keys.testItem(scope.tenantId, setId, "").pk, consistent: true },
    testItemsOf(scope, setId),
  ]) {
    for (;;) {
      const items = await table.query({ ...query, limit: SWEEP_BATCH_SIZE, attributes: [] });
      await table.deleteMany(items);
      if (items.length < SWEEP_BATCH_SIZE) break;
    }
  }
}
