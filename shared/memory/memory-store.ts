import type { Memory } from "../api/memory/memories.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listMergedPage } from "../dynamodb/merged-page.ts";
import type { Page, PageRequest } from "../dynamodb/pagination.ts";
import type { Item, Write } from "../dynamodb/table.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";

/** A memory as it is kept. */
export type StoredMemory = Memory & { readonly author_id: string };

/** What can be changed about a memory. */
export type MemoryChanges = Partial<Pick<Memory, "text" | "category" | "status">>;

/** What a list can be narrowed to. */
export type MemoryFilters = Partial<Pick<Memory, "scope" | "category" | "status">>;

/** What a prompt is made for. */
export interface PromptContext {
  readonly conversationId: string;
  readonly personaId: string | null;
}

/** Memories of each scope that a prompt takes, the newest. */
const forPrompt = 50;

const memoryOf = (item: Item) => item as unknown as StoredMemory;

/** Memories of the tenant are everybody's, all others are their author's, whatever they are about. */
const ownerOf = ({ scope, author_id }: Pick<StoredMemory, "scope" | "author_id">) =>
  scope === "tenant" ? "tenant" : `user#${author_id}`;

const keyOf = ({ tenantId }: TenantScope, memory: StoredMemory) => keys.memory(tenantId, ownerOf(memory), memory.id);

/** Active ones stand together, each author's apart: in a shared conversation everybody has memories of their own. */
function placeOf({ tenantId }: TenantScope, { scope, scope_id, status, author_id, id }: StoredMemory) {
  return indexKeys.memoryBySubject(tenantId, scope, scope_id, `${activePrefix(scope, author_id, status)}${id}`);
}

function activePrefix(scope: Memory["scope"], authorId: string, status: Memory["status"] = "active"): string {
  return scope === "tenant" ? `${status}#` : `${status}#${authorId}#`;
}

/**
 * A fresh memory.
 * @param fields `status: "proposed"` makes it a proposal, which reaches no prompt until it is accepted
 */
export function newMemory(
  authorId: string,
  fields: Pick<Memory, "text" | "scope" | "scope_id" | "category" | "status" | "source_message_id">,
): StoredMemory {
  const at = timestamp();
  return { id: newId(), ...fields, author_id: authorId, created_at: at, updated_at: at };
}

/** The write that stores a fresh memory, or a proposal of one. */
export function memoryWrite(scope: TenantScope, memory: StoredMemory): Write {
  return {
    put: {
      ...keyOf(scope, memory),
      ...placeOf(scope, memory),
      discriminator: "memory",
      timestamp: now(),
      ...memory,
    },
  };
}

/** Stores fresh memories, or proposals of them. */
export async function addMemories(scope: TenantScope, memories: readonly StoredMemory[]): Promise<void> {
  await Promise.all(memories.map((memory) => tenantTable(scope).write(memoryWrite(scope, memory))));
}

/**
 * A memory that the member may see: an own one or one of the tenant.
 * @throws ServiceError `not_found`
 */
export async function getMemory(member: UserScope, id: string): Promise<StoredMemory> {
  const owners = ["tenant", `user#${member.userId}`];
  const [item] = await tenantTable(member).getMany(
    owners.map((owner) => keys.memory(member.tenantId, owner, id)),
    { consistent: true },
  );
  if (!item) throw notFound();
  return memoryOf(item);
}

/**
 * The member's memories and those of the tenant, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listMemories(
  member: UserScope,
  { limit, cursor, ...filters }: MemoryFilters & PageRequest,
): Promise<Page<StoredMemory>> {
  const owners = filters.scope === undefined ? ["tenant", "user"] : [filters.scope === "tenant" ? "tenant" : "user"];
  const wanted = Object.entries(filters).filter(([, value]) => value !== undefined);
  const lists = owners.map((owner) => ({
    pk: keys.memory(member.tenantId, owner === "tenant" ? owner : `user#${member.userId}`, "").pk,
    consistent: true,
    where: (item: Item) => wanted.every(([name, value]) => item[name] === value),
  }));
  const binding = { list: "memories", filters: { user: member.userId, ...filters } };
  const { entries, next } = await listMergedPage(member, binding, lists, { limit, cursor });
  return { entries: entries.map(memoryOf), next };
}

/**
 * Changes a memory.
 * @param memory as it was read
 * @throws ServiceError `not_found` when it is gone
 */
export async function updateMemory(
  scope: TenantScope,
  memory: StoredMemory,
  changes: MemoryChanges,
): Promise<StoredMemory> {
  const { status } = changes;
  const item = await tenantTable(scope).write({
    update: keyOf(scope, memory),
    set: {
      ...changes,
      // Only acceptance moves it; a change of its text at the same moment must not move it back.
      ...(status && placeOf(scope, { ...memory, status })),
      updated_at: timestamp(),
      timestamp: now(),
    },
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  });
  return memoryOf(item as Item);
}

/** @throws ServiceError `not_found` */
export async function deleteMemory(scope: TenantScope, memory: StoredMemory): Promise<void> {
  await tenantTable(scope).write({
    delete: keyOf(scope, memory),
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  });
}

/**
 * What a prompt should know: active memories about the tenant, the member, the conversation and the persona, in this
 * order, oldest first within each. One bounded query for each, the newest 50 at most.
 */
export async function memoriesForPrompt(
  member: UserScope,
  { conversationId, personaId }: PromptContext,
): Promise<StoredMemory[]> {
  const subjects: (readonly [Memory["scope"], string])[] = [
    ["tenant", member.tenantId],
    ["user", member.userId],
    ["conversation", conversationId],
    ...(personaId === null ? [] : [["persona", personaId] as const]),
  ];
  const found = await Promise.all(
    subjects.map(([scope, scopeId]) =>
      tenantTable(member).query({
        index: "gsi1",
        pk: indexKeys.memoryBySubject(member.tenantId, scope, scopeId, "").gsi1pk,
        prefix: activePrefix(scope, member.userId),
        limit: forPrompt,
        descending: true,
      }),
    ),
  );
  return found.flatMap((items) => items.map(memoryOf).reverse());
}

/** Memories taken along at once. */
const batch = 100;

/** Forgets what is remembered about a conversation, by whomever. Doing it again changes nothing. */
export async function forgetConversation(scope: TenantScope, conversationId: string): Promise<void> {
  const { gsi1pk } = indexKeys.memoryBySubject(scope.tenantId, "conversation", conversationId, "");
  let after: string | undefined;
  do {
    const items = await tenantTable(scope).query({ index: "gsi1", pk: gsi1pk, after, limit: batch });
    await tenantTable(scope).deleteMany(items);
    after = items.length < batch ? undefined : String(items.at(-1)?.gsi1sk);
  } while (after !== undefined);
}
