import { deleteNote } from "#shared/api/memory/notes.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as notes from "#shared/memory/note-store.ts";

export const handler = endpoint(deleteNote, async ({ principal, params }) => {
  await notes.deleteNote(principal, params.id);
});
