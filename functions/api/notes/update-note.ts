import { updateNoteRoute } from "#shared/api/memory/notes.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getNote, updateNote } from "#shared/memory/note-store.ts";

export const handler = endpoint(updateNoteRoute, async ({ principal, params, body }) => {
  await getNote(principal, params.id);
  if (typeof body.conversation_id === "string") await authorizeConversation(principal, body.conversation_id, "READ");
  return updateNote(principal, params.id, body);
});
