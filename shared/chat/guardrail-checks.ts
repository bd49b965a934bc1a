import { loadGuardrail } from "../guardrails/guardrail.ts";
import type { Stage, Verdict } from "../guardrails/types.ts";
import type { KnowledgeHit } from "../knowledge/search/search-knowledge.ts";
import type { StoredNote } from "../memory/note-store.ts";
import type { RunEvent } from "../runs/events.ts";

type Shown = Pick<Verdict, "action" | "categories">;

/** What a check came to, as it is shown. */
export function guardrailResult(stage: Stage, { action, categories }: Shown): RunEvent {
  return { type: "guardrail_result", data: { stage, action, categories } };
}

/** The worst of what was found in several texts of a kind, as it is shown; nothing where none was looked at. */
export function worstResult(stage: Stage, verdicts: readonly Verdict[]): RunEvent[] {
  if (verdicts.length === 0) return [];
  const byAction = (action: Verdict["action"]) => verdicts.find((verdict) => verdict.action === action);
  const worst: Shown = byAction("block") ?? byAction("redact") ?? { action: "allow", categories: [] };
  return [guardrailResult(stage, worst)];
}

/** What stands for a title that is none. */
const untitled = "Untitled";

/** Passages as a model may be told of them, and what was found: first of each passage, then of their titles. */
export async function checkedHits(
  hits: readonly KnowledgeHit[],
): Promise<{ hits: KnowledgeHit[]; verdicts: Verdict[] }> {
  const guardrail = await loadGuardrail();
  const check = (text: string) => guardrail.check({ stage: "retrieval", text });
  const names = [...new Set(hits.map(({ title }) => title))];
  const [verdicts, titles] = await Promise.all([
    Promise.all(hits.map(({ text }) => check(text))),
    Promise.all(names.map(check)),
  ]);
  const told = hits.flatMap((found, index) => {
    const { action, text } = verdicts[index] as Verdict;
    // The model reads titles as well, and in a line there is no room to say what is to be thought of one.
    const hit = titles[names.indexOf(found.title)]?.action === "allow" ? found : { ...found, title: untitled };
    if (action === "allow") return hit;
    // A quote must stand in its source word for word: of what was changed, nothing is quoted.
    return action === "redact" ? { ...hit, text, snippet: "" } : [];
  });
  return { hits: told, verdicts: [...verdicts, ...titles] };
}

/** Notes as a model may be told of them, and what was found: they are their author's own, yet what was pasted into them may not be. */
export async function checkedNotes<Note extends Pick<StoredNote, "title" | "body">>(
  notes: readonly Note[],
): Promise<{ notes: Note[]; verdicts: Verdict[] }> {
  const guardrail = await loadGuardrail();
  const check = (text: string) => guardrail.check({ stage: "retrieval", text });
  const checked = await Promise.all(
    notes.map(async (note) => {
      const [title, body] = await Promise.all([check(note.title), check(note.body)]);
      const named = title.action === "allow" ? note : { ...note, title: untitled };
      return { note: { ...named, body: body.text }, verdicts: [title, body] };
    }),
  );
  return { notes: checked.map(({ note }) => note), verdicts: checked.flatMap(({ verdicts }) => verdicts) };
}
