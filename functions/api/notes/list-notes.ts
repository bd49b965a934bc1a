import { listNotes } from "#shared/api/notes.ts";
import * as notes from "#shared/data/note-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listNotes, async ({ principal, query }) => {
  const page = await notes.listNotes(principal, query);
  return { notes: [...page.entries], limit: query.limit, next_cursor: page.next };
});
