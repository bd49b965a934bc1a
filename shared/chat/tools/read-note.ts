import * as v from "valibot";
import { describe } from "../../api/fields.ts";
import { truncate } from "../../lib/truncate.ts";
import { listNotes } from "../../memory/note-store.ts";
import { checkNotes, worstResult } from "../guardrail-checks.ts";
import { defineTool } from "./tool.ts";

const MAX_NOTES = 5;

const MAX_BODY_CHARACTERS = 4_000;

export const readNoteTool = defineTool({
  name: "read_note",
  title: "Reading notes",
  description: "Reads the user's own notes whose title, text or tags contain all of the given words.",
  input: v.object({ query: describe(v.pipe(v.string(), v.minLength(1), v.maxLength(200)), "A few words") }),
  async run({ principal, guardrails, record }, { query }) {
    const { entries } = await listNotes(principal, { limit: MAX_NOTES, q: query });
    const checked = await checkNotes(entries, guardrails);
    const notes = checked.notes.map(({ title, body, tags, updated_at }) => ({
      title,
      body: body.length > MAX_BODY_CHARACTERS ? `${truncate(body, MAX_BODY_CHARACTERS)}…` : body,
      tags,
      updated_at,
    }));
    return { result: { notes }, events: worstResult(record, "retrieval", checked.verdicts) };
  },
});
