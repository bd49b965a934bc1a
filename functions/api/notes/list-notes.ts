import { listNotesRoute } from "#shared/api/memory/notes.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listNotes } from "#shared/memory/note-store.ts";

export const handler = endpoint(listNotesRoute, async ({ principal, query }) => {
  const page = await listNotes(principal, query);
  return pageReply("notes", page, query.limit);
});
