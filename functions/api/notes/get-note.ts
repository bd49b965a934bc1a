import { getNote } from "#shared/api/notes.ts";
import * as notes from "#shared/data/note-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getNote, ({ principal, params }) => notes.getNote(principal, params.id));
