import { updateNote } from "#shared/api/notes.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import * as notes from "#shared/data/note-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateNote, async ({ principal, params, body }) => {
  await notes.getNote(principal, params.id);
  if (typeof body.conversation_id === "string") await conversationFor(principal, body.conversation_id, "READ");
  return notes.updateNote(principal, params.id, body);
});
