import type { StoredNote } from "../data/note-store.ts";
import type { RunEvent } from "./events.ts";
import { loadGuardrail, type Stage, type Verdict } from "./guardrails/guardrail.ts";

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

/** Notes as a model may be told of them, and what was found: they are their author's own, yet what was pasted into them may not be. */
export async function checkedNotes<Note extends Pick<StoredNote, "title" | "body">>(
  notes: readonly Note[],
): Promise<{ notes: Note[]; verdicts: Verdict[] }> {
  const guardrail = await loadGuardrail();
  const check = (text: string) => guardrail.check({ stage: "retrieval", text });
  const checked = await Promise.all(
    notes.map(async (note) => {
      const [title, body] = await Promise.all([check(note.title), check(note.body)]);
      const named = title.action === "allow" ? note : { ...note, title: "Untitled" };
      return { note: { ...named, body: body.text }, verdicts: [title, body] };
    }),
  );
  return { notes: checked.map(({ note }) => note), verdicts: checked.flatMap(({ verdicts }) => verdicts) };
}
