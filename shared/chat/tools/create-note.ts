import * as v from "valibot";
import { addNote, newNote } from "../../memory/note-store.ts";
import { defineTool } from "./tool.ts";

export const createNoteTool = defineTool({
  name: "create_note",
  title: "Writing a note",
  description: "Writes a note for the user. Use it only if they ask for one.",
  hasEffect: true,
  input: v.object({
    title: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
    body: v.optional(v.pipe(v.string(), v.maxLength(16_000)), ""),
    tags: v.optional(
      v.pipe(v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(50))), v.maxLength(20)),
      [],
    ),
  }),
  async run({ principal, conversation }, fields) {
    const note = newNote(principal.userId, { ...fields, pinned: false, conversation_id: conversation.id });
    await addNote(principal, note);
    return { result: { created: note.title } };
  },
});
