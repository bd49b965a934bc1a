import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import { mergeVerdicts } from "../guardrails/merge-verdicts.ts";
import type { GuardrailVerdict, Stage } from "../guardrails/types.ts";
import type { KnowledgeHit } from "../knowledge/search/knowledge-hit.ts";
import type { StoredNote } from "../memory/note-store.ts";
import type { RunEvent } from "../runs/events.ts";
import type { TurnRecord } from "./turn.ts";

type Result = Pick<GuardrailVerdict, "action" | "categories" | "rules" | "removed">;

/** Returns the event about a check, and adds a check with findings to the record, with which the answer is stored. */
export function guardrailResult(
  { checks }: TurnRecord,
  stage: Stage,
  { action, categories, rules, removed = [] }: Result,
): RunEvent {
  const data = { stage, action, categories, rules, ...(removed.length > 0 && { removed: [...removed] }) };
  if (categories.length > 0) {
    const { categories: found, ...check } = data;
    checks.push({ ...check, categories: found.map(({ category }) => category) });
  }
  return { type: "guardrail_result", data };
}

/** Returns one event that merges verdicts; empty without verdicts. */
export const worstResult = (record: TurnRecord, stage: Stage, verdicts: readonly GuardrailVerdict[]): RunEvent[] =>
  verdicts.length > 0 ? [guardrailResult(record, stage, mergeVerdicts(verdicts))] : [];

/** Replacement for a title in which the guardrail finds something. */
const UNTITLED = "Untitled";

/**
 * Checks retrieved passages, their titles and the instructions of their collections, so that the model sees neither blocked nor
 * unredacted text.
 * @returns the allowed or redacted passages; and the verdicts on all passages, titles and instructions
 */
export async function checkHits(
  hits: readonly KnowledgeHit[],
  policy?: GuardrailPolicy,
): Promise<{ hits: KnowledgeHit[]; verdicts: GuardrailVerdict[] }> {
  const guardrail = await loadGuardrail(policy);
  const check = (text: string) => guardrail.check({ stage: "retrieval", text });
  const titles = [...new Set(hits.map(({ title }) => title))];
  const instructions = [...new Set(hits.flatMap((hit) => hit.instructions ?? []))];
  const [verdicts, titleVerdicts, instructionVerdicts] = await Promise.all([
    Promise.all(hits.map(({ text }) => check(text))),
    Promise.all(titles.map(check)),
    Promise.all(instructions.map(check)),
  ]);
  const withAllowedInstructions = ({ instructions: text, ...hit }: KnowledgeHit): KnowledgeHit => {
    const isAllowed = text !== undefined && instructionVerdicts[instructions.indexOf(text)]?.action === "allow";
    return isAllowed ? { ...hit, instructions: text } : hit;
  };
  const allowedHits = hits.flatMap((original, index) => {
    const { action, text } = verdicts[index] as GuardrailVerdict;
    // A title with a finding is replaced as a whole, because a redaction mark inside a title would look like a part of
    // it.
    const isTitleAllowed = titleVerdicts[titles.indexOf(original.title)]?.action === "allow";
    const hit = withAllowedInstructions(isTitleAllowed ? original : { ...original, title: UNTITLED });
    if (action === "allow") return hit;
    // Citations quote their source verbatim, so a redacted passage has no quote.
    return action === "redact" ? { ...hit, text, snippet: "" } : [];
  });
  return { hits: allowedHits, verdicts: [...verdicts, ...titleVerdicts, ...instructionVerdicts] };
}

/**
 * Checks the titles and bodies of notes: even a user's own note may contain text pasted from elsewhere.
 * @returns the notes with redactions, and the verdicts
 */
export async function checkNotes<Note extends Pick<StoredNote, "title" | "body">>(
  notes: readonly Note[],
  policy?: GuardrailPolicy,
): Promise<{ notes: Note[]; verdicts: GuardrailVerdict[] }> {
  const guardrail = await loadGuardrail(policy);
  const check = (text: string) => guardrail.check({ stage: "retrieval", text });
  const checked = await Promise.all(
    notes.map(async (original) => {
      const [title, body] = await Promise.all([check(original.title), check(original.body)]);
      const note = title.action === "allow" ? original : { ...original, title: UNTITLED };
      return { note: { ...note, body: body.text }, verdicts: [title, body] };
    }),
  );
  return { notes: checked.map(({ note }) => note), verdicts: checked.flatMap(({ verdicts }) => verdicts) };
}

export async function checkToolText(
  original: string,
  policy?: GuardrailPolicy,
): Promise<{ text: string; verdicts: GuardrailVerdict[] }> {
  const verdict = await (await loadGuardrail(policy)).check({ stage: "retrieval", text: original });
  return {
    text: verdict.action === "block" ? "The result was removed by the guardrail." : verdict.text,
    verdicts: [verdict],
  };
}
