import * as v from "valibot";
import { Memory } from "../api/memory/memories.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listMergedPage } from "../dynamodb/merged-page.ts";
import { mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { deleteExistingItem } from "../dynamodb/required-item.ts";
import { equals, exists, type Item, ignoreConditionFailed, type Write } from "../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";

const StoredMemory = v.object({ ...Memory.entries, author_id: v.string() });
export type StoredMemory = v.InferOutput<typeof StoredMemory>;

type MemoryChanges = Partial<Pick<Memory, "text" | "category" | "status" | "trusted">>;

type MemoryFilters = Partial<Pick<Memory, "scope" | "category" | "status">>;

/** Conversation and persona for whose prompt memories are read. */
interface PromptContext {
  readonly conversationId: string;
  readonly personaId: string | null;
}

/**
 * Maximum number of the newest memories of each scope in a prompt. The number of memories that are stored is not
 * limited.
 */
const MAX_PROMPT_MEMORIES_PER_SCOPE = 50;

const readMemory = itemReader(StoredMemory);

/** Returns the owner in the key of a memory: the tenant for the scope `tenant`, or else the author. */
const toOwner = ({ scope, author_id }: Pick<StoredMemory, "scope" | "author_id">) =>
  scope === "tenant" ? "tenant" : `user#${author_id}`;

const toKey = ({ tenantId }: TenantScope, memory: StoredMemory) => keys.memory(tenantId, toOwner(memory), memory.id);

/**
 * Returns the index keys of a memory. They contain status and author, so that the users of a shared conversation have
 * separate memories.
 */
function toIndexKeys({ tenantId }: TenantScope, { scope, scope_id, status, author_id, id }: StoredMemory) {
  return indexKeys.memoryBySubject(tenantId, scope, scope_id, `${toIndexPrefix(scope, author_id, status)}${id}`);
}

function toIndexPrefix(scope: Memory["scope"], authorId: string, status: Memory["status"] = "active"): string {
  return scope === "tenant" ? `${status}#` : `${status}#${authorId}#`;
}

/**
 * Returns a new memory that is not stored yet.
 * @param fields with `status: "proposed"`, no prompt contains the memory before the user accepts it; `read_untrusted:
 * true` marks a memory that the model proposed after reading untrusted text
 */
export function newMemory(
  authorId: string,
  fields: Pick<
    Memory,
    "text" | "scope" | "scope_id" | "category" | "status" | "source_message_id" | "read_untrusted" | "replaces"
  >,
): StoredMemory {
  const at = timestamp();
  const trusted = fields.read_untrusted !== true;
  return { id: newId(), ...fields, trusted, author_id: authorId, created_at: at, updated_at: at };
}

export function newMemoryWrite(scope: TenantScope, memory: StoredMemory): Write {
  return {
    put: {
      ...toKey(scope, memory),
      ...toIndexKeys(scope, memory),
      discriminator: "memory",
      timestamp: now(),
      ...memory,
    },
  };
}

export async function addMemories(scope: TenantScope, memories: readonly StoredMemory[]): Promise<void> {
  await Promise.all(memories.map((memory) => tenantTable(scope).write(newMemoryWrite(scope, memory))));
}

/**
 * Returns a memory that the user can see: the user's own, or one of the tenant.
 * @throws ServiceError `not_found`
 */
export async function getMemory(member: UserScope, id: string): Promise<StoredMemory> {
  const owners = ["tenant", `user#${member.userId}`];
  const [item] = await tenantTable(member).getMany(
    owners.map((owner) => keys.memory(member.tenantId, owner, id)),
    { consistent: true },
  );
  if (!item) throw notFound();
  return readMemory(item);
}

/**
 * Lists the memories of the user and of the tenant, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listMemories(
  member: UserScope,
  { limit, cursor, ...filters }: MemoryFilters & PageRequest,
): Promise<Page<StoredMemory>> {
  const owners = filters.scope === undefined ? ["tenant", "user"] : [filters.scope === "tenant" ? "tenant" : "user"];
  const activeFilters = Object.entries(filters).filter(([, value]) => value !== undefined);
  const lists = owners.map((owner) => ({
    pk: keys.memory(member.tenantId, owner === "tenant" ? owner : `user#${member.userId}`, "").pk,
    consistent: true,
    where: (item: Item) => activeFilters.every(([name, value]) => item[name] === value),
  }));
  const binding = { list: "memories", filters: { user: member.userId, ...filters } };
  return mapPage(await listMergedPage(member, binding, lists, { limit, cursor }), readMemory);
}

/**
 * Updates a memory. If a proposal is accepted, also deletes the memory that it replaces, unless that was edited in the
 * meantime.
 * @param memory the memory as it was read
 * @throws ServiceError `not_found` if the memory was deleted
 */
export async function updateMemory(
  scope: TenantScope,
  memory: StoredMemory,
  changes: MemoryChanges,
): Promise<StoredMemory> {
  const { status } = changes;
  const { replaces } = memory;
  const item = await tenantTable(scope).write({
    update: toKey(scope, memory),
    set: {
      ...changes,
      // Only a change of the status moves the index entry; a concurrent change of the text must not move it back.
      ...(status && toIndexKeys(scope, { ...memory, status })),
      updated_at: timestamp(),
      timestamp: now(),
    },
    condition: exists(notFound),
  });
  // A failure in between leaves both memories. Accepting the proposal again then deletes the replaced one.
  if (status === "active" && replaces) {
    const condition = equals({ text: replaces.text });
    await tenantTable(scope)
      .write({ delete: toKey(scope, { ...memory, id: replaces.memory_id }), condition })
      .catch(ignoreConditionFailed);
  }
  return readMemory(item as Item);
}

/** @throws ServiceError `not_found` */
export async function deleteMemory(scope: TenantScope, memory: StoredMemory): Promise<void> {
  await deleteExistingItem(scope, toKey(scope, memory));
}

/**
 * Returns the active memories for a prompt: those of the tenant, the user, the conversation and the persona, in this
 * order, and oldest first within each scope. Each scope costs a query of up to 50 items.
 */
export async function listMemoriesForPrompt(
  member: UserScope,
  { conversationId, personaId }: PromptContext,
): Promise<StoredMemory[]> {
  const subjects: (readonly [Memory["scope"], string])[] = [
    ["tenant", member.tenantId],
    ["user", member.userId],
    ["conversation", conversationId],
    ...(personaId === null ? [] : [["persona", personaId] as const]),
  ];
  const itemsByScope = await Promise.all(
    subjects.map(([scope, scopeId]) =>
      tenantTable(member).query({
        index: "gsi1",
        pk: indexKeys.memoryBySubject(member.tenantId, scope, scopeId, "").gsi1pk,
        prefix: toIndexPrefix(scope, member.userId),
        limit: MAX_PROMPT_MEMORIES_PER_SCOPE,
        descending: true,
      }),
    ),
  );
  return itemsByScope.flatMap((items) => items.map(readMemory).reverse());
}

/** Returns the newest proposals of memories with the scope `user`, newest first. Costs a query of up to 50 items. */
export async function listProposedMemories(member: UserScope): Promise<StoredMemory[]> {
  const items = await tenantTable(member).query({
    index: "gsi1",
    pk: indexKeys.memoryBySubject(member.tenantId, "user", member.userId, "").gsi1pk,
    prefix: toIndexPrefix("user", member.userId, "proposed"),
    limit: MAX_PROMPT_MEMORIES_PER_SCOPE,
    descending: true,
  });
  return items.map(readMemory);
}

/** Deletes a proposal. Does nothing if it was accepted. */
export async function deleteProposal(scope: TenantScope, proposal: StoredMemory): Promise<void> {
  const condition = equals({ status: "proposed" });
  await tenantTable(scope)
    .write({ delete: toKey(scope, proposal), condition })
    .catch(ignoreConditionFailed);
}

/** Deletes the memories of all users for a conversation. Idempotent. */
export async function deleteConversationMemories(scope: TenantScope, conversationId: string): Promise<void> {
  const { gsi1pk } = indexKeys.memoryBySubject(scope.tenantId, "conversation", conversationId, "");
  let after: string | undefined;
  do {
    const items = await tenantTable(scope).query({ index: "gsi1", pk: gsi1pk, after, limit: SWEEP_BATCH_SIZE });
    await tenantTable(scope).deleteMany(items);
    after = items.length < SWEEP_BATCH_SIZE ? undefined : String(items.at(-1)?.gsi1sk);
  } while (after !== undefined);
}
