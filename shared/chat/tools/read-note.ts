import * as v from "valibot";
import { truncate } from "../../lib/truncate.ts";
import { listNotes } from "../../memory/note-store.ts";
import { checkedNotes, worstResult } from "../guardrail-checks.ts";
import { defineTool } from "./tool.ts";

/** Notes given at most, and characters of each. */
const given = 5;
const charactersAtMost = 4_000;

export const readNote = defineTool({
  name: "read_note",
  title: "Reading notes",
  description: "Reads the person's own notes whose title, text or tags hold all of the given words.",
  input: v.object({ query: v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description("A few words")) }),
  async run({ principal }, { query }) {
    const { entries } = await listNotes(principal, { limit: given, q: query });
    const checked = await checkedNotes(entries);
    const notes = checked.notes.map(({ title, body, tags, updated_at }) => ({
      title,
      body: body.length > charactersAtMost ? `${truncate(body, charactersAtMost)}…` : body,
      tags,
      updated_at,
    }));
    return { result: { notes }, events: worstResult("retrieval", checked.verdicts) };
  },
});
