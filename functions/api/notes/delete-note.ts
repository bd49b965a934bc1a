import { deleteNoteRoute } from "#shared/api/memory/notes.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { deleteNote } from "#shared/memory/note-store.ts";

export const handler = endpoint(deleteNoteRoute, async ({ principal, params }) => {
  await deleteNote(principal, params.id);
});
