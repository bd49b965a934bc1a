import { getNote } from "#shared/api/memory/notes.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as notes from "#shared/memory/note-store.ts";

export const handler = endpoint(getNote, ({ principal, params }) => notes.getNote(principal, params.id));
