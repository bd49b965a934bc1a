import {
  createNoteRoute,
  deleteNoteRoute,
  getNoteRoute,
  listNotesRoute,
  updateNoteRoute,
} from "#shared/api/memory/notes.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { deleteNote, getNote, listNotes, newNote, newNoteWrite, updateNote } from "#shared/memory/note-store.ts";

export const createNoteHandler = endpoint(createNoteRoute, async ({ principal, body, commit }) => {
  if (body.conversation_id !== null) await authorizeConversation(principal, body.conversation_id, "READ");
  const note = newNote(principal.userId, body);
  return commit(note, newNoteWrite(principal, note));
});

export const deleteNoteHandler = endpoint(deleteNoteRoute, async ({ principal, params }) => {
  await deleteNote(principal, params.id);
});

export const getNoteHandler = endpoint(getNoteRoute, ({ principal, params }) => getNote(principal, params.id));

export const listNotesHandler = endpoint(listNotesRoute, async ({ principal, query }) => {
  const page = await listNotes(principal, query);
  return pageReply("notes", page, query.limit);
});

export const updateNoteHandler = endpoint(updateNoteRoute, async ({ principal, params, body }) => {
  await getNote(principal, params.id);
  if (typeof body.conversation_id === "string") await authorizeConversation(principal, body.conversation_id, "READ");
  return updateNote(principal, params.id, body);
});
