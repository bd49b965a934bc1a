import * as v from "valibot";
import { MAX_ITEMS_LENGTH, MEBIBYTE } from "../../api/limits.ts";
import type { OpenaiConversation } from "../../api/openai/conversations.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { requireItem } from "../../dynamodb/required-item.ts";
import { exists, type Item } from "../../dynamodb/table.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { notFound, requireFound, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { splitUtf8 } from "../../lib/truncate.ts";
import type { OutputItem } from "./response-object.ts";
import { getResponseExpiry } from "./response-store.ts";

/** Maximum number of concurrent writes when items are stored. */
const WRITE_CONCURRENCY = 4;

const StoredConversation = v.object({
  id: v.string(),
  created_at: v.number(),
  metadata: v.record(v.string(), v.string()),
});

const readConversation = itemReader(StoredConversation);
const readPart = itemReader(v.object({ item_id: v.string(), text: v.string(), parts: v.number() }));

const toReply = (item: Item): OpenaiConversation => ({ object: "conversation", ...readConversation(item) });

const toKey = ({ tenantId, keyId }: ApiKeyPrincipal, id: string) => keys.openaiConversation(tenantId, keyId, id);

/** Creates a conversation without items. */
export async function createOpenaiConversation(
  principal: ApiKeyPrincipal,
  metadata: Record<string, string>,
): Promise<OpenaiConversation> {
  const id = `conv_${newId().replaceAll("-", "")}`;
  const conversation = { id, created_at: Math.floor(now() / 1_000), metadata };
  const ttl = await getResponseExpiry(principal);
  await tenantTable(principal).write({
    put: { ...toKey(principal, id), discriminator: "openai-conversation", ttl, ...conversation },
  });
  return { object: "conversation", ...conversation };
}

/** @throws ServiceError `not_found` if it does not exist, has expired or belongs to another key */
export async function getOpenaiConversation(principal: ApiKeyPrincipal, id: string): Promise<OpenaiConversation> {
  const item = await requireItem(principal, toKey(principal, id));
  return toReply(item);
}

/**
 * Replaces the metadata of a conversation and restarts its retention period.
 * @throws ServiceError `not_found`
 */
export async function replaceMetadata(
  principal: ApiKeyPrincipal,
  id: string,
  metadata: Record<string, string>,
): Promise<OpenaiConversation> {
  const ttl = await getResponseExpiry(principal);
  return toReply(await updateConversation(principal, id, { ttl, metadata }));
}

async function updateConversation(
  principal: ApiKeyPrincipal,
  id: string,
  set: { readonly ttl: number; readonly metadata?: Record<string, string> },
): Promise<Item> {
  const item = await tenantTable(principal).write({
    update: toKey(principal, id),
    set,
    condition: exists(notFound),
  });
  return item as Item;
}

interface StoredItem {
  readonly item: OutputItem;
  readonly keys: readonly Pick<Item, "pk" | "sk">[];
}

/**
 * Returns all rows of a conversation, and its items, oldest first. An item without all of its parts, such as one that
 * is being written, is left out.
 * @throws ServiceError `not_found`
 */
async function readStored(principal: ApiKeyPrincipal, id: string) {
  const { pk } = toKey(principal, id);
  const rows = await tenantTable(principal).query({ pk, consistent: true });
  const head = requireFound(rows.find(({ discriminator }) => discriminator === "openai-conversation"));
  const parts = rows.filter((row) => row !== head).map((row) => ({ row, ...readPart(row) }));
  const items = [...Map.groupBy(parts, ({ row }) => row.sk.slice(0, row.sk.lastIndexOf("#"))).values()];
  const complete = items.filter((ofItem) => ofItem.length === ofItem[0]?.parts);
  return {
    rows,
    items: complete.map((ofItem): StoredItem => {
      const item = JSON.parse(ofItem.map(({ text }) => text).join("")) as OutputItem;
      return { item, keys: ofItem.map(({ row }) => ({ pk: row.pk, sk: row.sk })) };
    }),
  };
}

/**
 * Returns the items of a conversation, oldest first.
 * @throws ServiceError `not_found`
 */
export const listItems = async (principal: ApiKeyPrincipal, id: string): Promise<OutputItem[]> =>
  (await readStored(principal, id)).items.map(({ item }) => item);

/**
 * Returns the items of a conversation for a model request.
 * @throws ServiceError `not_found`; `payload_too_large` if their JSON exceeds `MAX_CONVERSATION_LENGTH`
 */
export async function listItemsToContinue(principal: ApiKeyPrincipal, id: string): Promise<OutputItem[]> {
  const items = await listItems(principal, id);
  if (JSON.stringify(items).length <= MAX_ITEMS_LENGTH) return items;
  const limit = `The conversation exceeds ${MAX_ITEMS_LENGTH / MEBIBYTE} MiB.`;
  throw new ServiceError("payload_too_large", `${limit} Start a new one, or delete items.`);
}

/**
 * Adds items to a conversation and restarts its retention period.
 * @param batchId time-ordered id of these items; a second call with the same id overwrites the items of the first
 * @throws ServiceError `not_found`
 */
export async function addItems(
  principal: ApiKeyPrincipal,
  id: string,
  items: readonly OutputItem[],
  batchId = newId(),
): Promise<void> {
  const ttl = await getResponseExpiry(principal);
  await updateConversation(principal, id, { ttl });
  const rows = items.flatMap((item, index) => {
    const position = `${batchId.replaceAll("-", "")}#${String(index).padStart(5, "0")}`;
    const parts = splitUtf8(JSON.stringify(item));
    return parts.map((text, part) => ({
      ...keys.openaiConversationItem(principal.tenantId, principal.keyId, id, position, part),
      discriminator: "openai-conversation-item",
      ttl,
      item_id: item.id,
      text,
      parts: parts.length,
    }));
  });
  await mapConcurrent(rows, (put) => tenantTable(principal).write({ put }), WRITE_CONCURRENCY);
}

/** @throws ServiceError `not_found` if the conversation or the item does not exist */
export async function getItem(principal: ApiKeyPrincipal, id: string, itemId: string): Promise<OutputItem> {
  const found = requireFound((await listItems(principal, id)).find((item) => item.id === itemId));
  return found;
}

/** @throws ServiceError `not_found` if the conversation or the item does not exist */
export async function deleteItem(principal: ApiKeyPrincipal, id: string, itemId: string): Promise<void> {
  const found = requireFound((await readStored(principal, id)).items.find(({ item }) => item.id === itemId));
  await tenantTable(principal).deleteMany(found.keys);
}

/**
 * Deletes a conversation with its items.
 * @throws ServiceError `not_found`
 */
export async function deleteOpenaiConversation(principal: ApiKeyPrincipal, id: string): Promise<void> {
  const { rows } = await readStored(principal, id);
  await tenantTable(principal).deleteMany(rows.map(({ pk, sk }) => ({ pk, sk })));
}
