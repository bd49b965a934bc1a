import type { Note } from "../api/memory/notes.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { ConditionFailed, type Item, type Write } from "../dynamodb/table.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";

/** A note as it is kept. */
export type StoredNote = Note & { readonly author_id: string };

/** What can be changed about a note. */
export type NoteChanges = Partial<Pick<Note, "title" | "body" | "tags" | "pinned" | "conversation_id">>;

/** What a list can be narrowed to. */
export interface NoteFilters {
  /** Words that the note holds, all of them, in any case. */
  readonly q?: string;
  readonly tag?: string;
  readonly pinned?: boolean;
  readonly conversation_id?: string;
}

/** Notes of a conversation that a prompt takes, the newest. */
const forPrompt = 20;

const noteOf = (item: Item) => item as unknown as StoredNote;

const there = { where: "attribute_exists(#pk)", onConditionFailed: notFound };

/** A fresh note. */
export function newNote(
  authorId: string,
  fields: Pick<Note, "title" | "body" | "tags" | "pinned" | "conversation_id">,
): StoredNote {
  const at = timestamp();
  return { id: newId(), ...fields, author_id: authorId, created_at: at, updated_at: at };
}

/** The write that stores a fresh note. */
export function noteWrite({ tenantId }: TenantScope, note: StoredNote): Write {
  const { author_id, id, conversation_id } = note;
  return {
    put: {
      ...keys.note(tenantId, author_id, id),
      ...(conversation_id !== null && indexKeys.noteByConversation(tenantId, conversation_id, author_id, id)),
      discriminator: "note",
      timestamp: now(),
      ...note,
    },
  };
}

/** Stores a fresh note. */
export async function addNote(scope: TenantScope, note: StoredNote): Promise<void> {
  await tenantTable(scope).write(noteWrite(scope, note));
}

/**
 * A note of the member's own.
 * @throws ServiceError `not_found`
 */
export async function getNote(member: UserScope, id: string): Promise<StoredNote> {
  const item = await tenantTable(member).get(keys.note(member.tenantId, member.userId, id), { consistent: true });
  if (!item) throw notFound();
  return noteOf(item);
}

function matches(note: StoredNote, { q, tag, pinned, conversation_id }: NoteFilters): boolean {
  const text = [note.title, note.body, ...note.tags].join("\n").toLowerCase();
  return (
    (tag === undefined || note.tags.some((each) => each.toLowerCase() === tag.toLowerCase())) &&
    (pinned === undefined || note.pinned === pinned) &&
    (conversation_id === undefined || note.conversation_id === conversation_id) &&
    (q ?? "")
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}

/**
 * The member's notes, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listNotes(
  member: UserScope,
  { limit, cursor, ...filters }: NoteFilters & PageRequest,
): Promise<Page<StoredNote>> {
  const { pk } = keys.note(member.tenantId, member.userId, "");
  const list = { list: "notes", filters: { user: member.userId, ...filters }, pk, descending: true, consistent: true };
  const filtered = Object.values(filters).some((value) => value !== undefined);
  const where = filtered ? (item: Item) => matches(noteOf(item), filters) : undefined;
  const { entries, next } = await listPage(member, { ...list, where }, { limit, cursor });
  return { entries: entries.map(noteOf), next };
}

/** @throws ServiceError `not_found` */
export async function updateNote(member: UserScope, id: string, changes: NoteChanges): Promise<StoredNote> {
  const { tenantId, userId } = member;
  const { conversation_id } = changes;
  const item = await tenantTable(member).write({
    update: keys.note(tenantId, userId, id),
    set: {
      ...changes,
      ...(typeof conversation_id === "string" && indexKeys.noteByConversation(tenantId, conversation_id, userId, id)),
      updated_at: timestamp(),
      timestamp: now(),
    },
    remove: conversation_id === null ? ["gsi1pk", "gsi1sk"] : [],
    condition: there,
  });
  return noteOf(item as Item);
}

/** @throws ServiceError `not_found` */
export async function deleteNote(member: UserScope, id: string): Promise<void> {
  await tenantTable(member).write({ delete: keys.note(member.tenantId, member.userId, id), condition: there });
}

/** The member's notes that are attached to a conversation, oldest first, the newest 20 at most: for its prompts. */
export async function notesForPrompt(member: UserScope, conversationId: string): Promise<StoredNote[]> {
  const { gsi1pk, gsi1sk } = indexKeys.noteByConversation(member.tenantId, conversationId, member.userId, "");
  const items = await tenantTable(member).query({
    index: "gsi1",
    pk: gsi1pk,
    prefix: gsi1sk,
    limit: forPrompt,
    descending: true,
  });
  return items.map(noteOf).reverse();
}

/** Notes detached at once. */
const batch = 100;

/** Detaches everybody's notes from a conversation that is gone. Doing it again changes nothing. */
export async function detachNotes(scope: TenantScope, conversationId: string): Promise<void> {
  const { gsi1pk } = indexKeys.noteByConversation(scope.tenantId, conversationId, "", "");
  let after: string | undefined;
  do {
    const items = await tenantTable(scope).query({ index: "gsi1", pk: gsi1pk, after, limit: batch });
    const notes = items.map(noteOf);
    await Promise.all(notes.map((note) => detach(scope, note, conversationId)));
    after = items.length < batch ? undefined : String(items.at(-1)?.gsi1sk);
  } while (after !== undefined);
}

async function detach(scope: TenantScope, { author_id, id }: StoredNote, conversationId: string): Promise<void> {
  try {
    await tenantTable(scope).write({
      update: keys.note(scope.tenantId, author_id, id),
      set: { conversation_id: null, timestamp: now() },
      remove: ["gsi1pk", "gsi1sk"],
      condition: { where: "#conversation_id = :conversation", values: { conversation: conversationId } },
    });
  } catch (error) {
    // Its author was faster.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
