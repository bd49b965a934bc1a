import type { RunEvent } from "./events.ts";
import type { Stage, Verdict } from "./guardrails/guardrail.ts";

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
