import { deleteNote } from "#shared/api/notes.ts";
import * as notes from "#shared/data/note-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteNote, async ({ principal, params }) => {
  await notes.deleteNote(principal, params.id);
});
