import { createNoteRoute } from "#shared/api/memory/notes.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { newNote, newNoteWrite } from "#shared/memory/note-store.ts";

export const handler = endpoint(createNoteRoute, async ({ principal, body, commit }) => {
  if (body.conversation_id !== null) await authorizeConversation(principal, body.conversation_id, "READ");
  const note = newNote(principal.userId, body);
  return commit(note, newNoteWrite(principal, note));
});
