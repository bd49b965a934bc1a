import { updateNote } from "#shared/api/memory/notes.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as notes from "#shared/memory/note-store.ts";

export const handler = endpoint(updateNote, async ({ principal, params, body }) => {
  await notes.getNote(principal, params.id);
  if (typeof body.conversation_id === "string") await authorizeConversation(principal, body.conversation_id, "READ");
  return notes.updateNote(principal, params.id, body);
});
