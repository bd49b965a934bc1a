import * as v from "valibot";
import { Note } from "../api/memory/notes.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { deleteExistingItem, requireItem } from "../dynamodb/required-item.ts";
import { equals, exists, type Item, ignoreConditionFailed, type Write } from "../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";

const StoredNote = v.object({ ...Note.entries, author_id: v.string() });
export type StoredNote = v.InferOutput<typeof StoredNote>;

type NoteChanges = Partial<Pick<Note, "title" | "body" | "tags" | "pinned" | "conversation_id">>;

interface NoteFilters {
  /** Words that the note must contain, ignoring case. */
  readonly q?: string;
  readonly tag?: string;
  readonly pinned?: boolean;
  readonly conversation_id?: string;
}

/** Maximum number of the newest notes of a conversation in a prompt. */
const MAX_PROMPT_NOTES = 20;

export const readNote = itemReader(StoredNote);

/** Returns a new note that is not stored yet. */
export function newNote(
  authorId: string,
  fields: Pick<Note, "title" | "body" | "tags" | "pinned" | "conversation_id">,
): StoredNote {
  const at = timestamp();
  return { id: newId(), ...fields, author_id: authorId, created_at: at, updated_at: at };
}

export function newNoteWrite({ tenantId }: TenantScope, note: StoredNote): Write {
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

export async function addNote(scope: TenantScope, note: StoredNote): Promise<void> {
  await tenantTable(scope).write(newNoteWrite(scope, note));
}

/**
 * Returns a note of the user.
 * @throws ServiceError `not_found`
 */
export async function getNote(member: UserScope, id: string): Promise<StoredNote> {
  return readNote(await requireItem(member, keys.note(member.tenantId, member.userId, id)));
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
 * Lists the user's notes, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listNotes(
  member: UserScope,
  { limit, cursor, ...filters }: NoteFilters & PageRequest,
): Promise<Page<StoredNote>> {
  const { pk } = keys.note(member.tenantId, member.userId, "");
  const list = { list: "notes", filters: { user: member.userId, ...filters }, pk, descending: true, consistent: true };
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const where = isFiltered ? (item: Item) => matches(readNote(item), filters) : undefined;
  return mapPage(await listPage(member, { ...list, where }, { limit, cursor }), readNote);
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
    condition: exists(notFound),
  });
  return readNote(item as Item);
}

/** @throws ServiceError `not_found` */
export async function deleteNote(member: UserScope, id: string): Promise<void> {
  await deleteExistingItem(member, keys.note(member.tenantId, member.userId, id));
}

/** Returns the newest 20 notes that the user has attached to a conversation, oldest first. */
export async function listNotesForPrompt(member: UserScope, conversationId: string): Promise<StoredNote[]> {
  const { gsi1pk, gsi1sk } = indexKeys.noteByConversation(member.tenantId, conversationId, member.userId, "");
  const items = await tenantTable(member).query({
    index: "gsi1",
    pk: gsi1pk,
    prefix: gsi1sk,
    limit: MAX_PROMPT_NOTES,
    descending: true,
  });
  return items.map(readNote).reverse();
}

/** Detaches the notes of all users from a deleted conversation. Idempotent. */
export async function detachNotes(scope: TenantScope, conversationId: string): Promise<void> {
  const { gsi1pk } = indexKeys.noteByConversation(scope.tenantId, conversationId, "", "");
  let after: string | undefined;
  do {
    const items = await tenantTable(scope).query({ index: "gsi1", pk: gsi1pk, after, limit: SWEEP_BATCH_SIZE });
    await Promise.all(items.map((item) => detachNote(scope, readNote(item), conversationId)));
    after = items.length < SWEEP_BATCH_SIZE ? undefined : String(items.at(-1)?.gsi1sk);
  } while (after !== undefined);
}

async function detachNote(scope: TenantScope, { author_id, id }: StoredNote, conversationId: string): Promise<void> {
  // A failed condition means that the author has detached or moved the note concurrently.
  await tenantTable(scope)
    .write({
      update: keys.note(scope.tenantId, author_id, id),
      set: { conversation_id: null, timestamp: now() },
      remove: ["gsi1pk", "gsi1sk"],
      condition: equals({ conversation_id: conversationId }),
    })
    .catch(ignoreConditionFailed);
}
