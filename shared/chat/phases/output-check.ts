import { withheld } from "../../guardrails/canned-messages.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import { guardrailResult } from "../guardrail-checks.ts";
import type { Phase } from "../turn.ts";

/** Looks at the answer as a whole; secrets were taken out of it while it was streaming. */
export const outputCheck: Phase = {
  name: "output_check",
  async *run(turn) {
    if (turn.settled) return;
    const guardrail = await loadGuardrail();
    const verdict = await guardrail.check({ stage: "output", text: turn.text });
    const categories = [...verdict.categories, ...turn.redactions];
    const action = verdict.action === "allow" && turn.redactions.length > 0 ? "redact" : verdict.action;
    yield guardrailResult("output", { action, categories });
    turn.text = verdict.action === "block" ? withheld : verdict.text;
  },
};
