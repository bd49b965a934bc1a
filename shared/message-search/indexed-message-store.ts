import * as v from "valibot";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { type Language, languages } from "../lib/language/languages.ts";

export const indexedMessageAccess = itemAccess("indexedMessage", "get", "put", "update", "delete");

/** Place of a message in the index of its owner's messages. */
const IndexedMessage = v.object({
  message_id: v.string(),
  conversation_id: v.string(),
  /** Owner of the conversation. */
  owner_id: v.string(),
  /** Number of the message in the index. */
  number: v.number(),
  language: v.picklist(languages as [Language, ...Language[]]),
  /** Hash of the text that is indexed. */
  text_hash: v.string(),
  /** Number of indexed terms. */
  length: v.number(),
  /** True when the message is in the index and counted in its statistics. */
  is_counted: v.boolean(),
});
export type IndexedMessage = v.InferOutput<typeof IndexedMessage>;

const readIndexedMessage = itemReader(IndexedMessage);

export async function findIndexedMessage(scope: TenantScope, messageId: string): Promise<IndexedMessage | undefined> {
  const item = await tenantTable(scope).get(keys.indexedMessage(scope.tenantId, messageId), { consistent: true });
  return item && readIndexedMessage(item);
}

/** Stores the place of a message before its words are indexed, so that an interrupted function continues with it. */
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

/** Returns the write that records that a message is counted. It fails if it was. */
export const countedWrite = ({ tenantId }: TenantScope, { message_id }: IndexedMessage): Write => ({
  update: keys.indexedMessage(tenantId, message_id),
  set: { is_counted: true },
  condition: { where: "#is_counted = :false", values: { false: false } },
});

/** Returns the write that deletes the place of a message. It fails if the place has changed. */
export const removedWrite = (
  { tenantId }: TenantScope,
  { message_id, text_hash, is_counted }: IndexedMessage,
): Write => ({
  delete: keys.indexedMessage(tenantId, message_id),
  condition: {
    where: "#text_hash = :hash AND #is_counted = :counted",
    values: { hash: text_hash, counted: is_counted },
  },
});
