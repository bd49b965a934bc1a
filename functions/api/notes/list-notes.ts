import { listNotes } from "#shared/api/memory/notes.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import * as notes from "#shared/memory/note-store.ts";

export const handler = endpoint(listNotes, async ({ principal, query }) => {
  const page = await notes.listNotes(principal, query);
  return pageReply("notes", page, query.limit);
});
