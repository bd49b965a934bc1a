import * as v from "valibot";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { equals, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { type Language, languages } from "../lib/language/languages.ts";

/** Entry of a message in the index of its conversation's owner. */
const IndexedMessage = v.object({
  message_id: v.string(),
  conversation_id: v.string(),
  /** Owner of the conversation. */
  owner_id: v.string(),
  /** Number by which the postings of the index refer to the message. */
  number: v.number(),
  language: v.picklist(languages as [Language, ...Language[]]),
  /** Hash of the indexed text. */
  text_hash: v.string(),
  length: v.number(),
  /** True after the message was added to the statistics, which is the last step of indexing. */
  is_counted: v.boolean(),
});
export type IndexedMessage = v.InferOutput<typeof IndexedMessage>;

const readIndexedMessage = itemReader(IndexedMessage);

export async function findIndexedMessage(scope: TenantScope, messageId: string): Promise<IndexedMessage | undefined> {
  const item = await tenantTable(scope).get(keys.indexedMessage(scope.tenantId, messageId), { consistent: true });
  return item && readIndexedMessage(item);
}

/**
 * Stores the entry of a message before its words are indexed, so that a call after an interruption uses the same
 * number.
 */
export async function putIndexedMessage(scope: TenantScope, entry: IndexedMessage): Promise<void> {
  await tenantTable(scope).write({
    put: {
      ...keys.indexedMessage(scope.tenantId, entry.message_id),
      discriminator: "indexed-message",
      timestamp: now(),
      ...entry,
    },
  });
}

/** Returns the write that marks a message as counted in the statistics. Fails if it already is. */
export const countedWrite = ({ tenantId }: TenantScope, { message_id }: IndexedMessage): Write => ({
  update: keys.indexedMessage(tenantId, message_id),
  set: { is_counted: true },
  condition: equals({ is_counted: false }),
});

/** Returns the write that deletes the entry of a message. Fails if the entry was changed in the meantime. */
export const removedWrite = (
  { tenantId }: TenantScope,
  { message_id, text_hash, is_counted }: IndexedMessage,
): Write => ({
  delete: keys.indexedMessage(tenantId, message_id),
  condition: equals({ text_hash, is_counted }),
});
