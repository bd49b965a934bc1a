import { getNoteRoute } from "#shared/api/memory/notes.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getNote } from "#shared/memory/note-store.ts";

export const handler = endpoint(getNoteRoute, ({ principal, params }) => getNote(principal, params.id));
