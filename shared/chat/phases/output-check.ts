import { withheldMessage } from "../../guardrails/canned-messages.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import { guardrailResult } from "../guardrail-checks.ts";
import type { Phase } from "../turn.ts";

/** Checks the complete answer with the guardrail; secrets were already redacted during streaming. */
export const outputCheck: Phase = {
  name: "output_check",
  async *run(turn) {
    if (turn.isFinal) return;
    const guardrail = await loadGuardrail(turn.guardrails);
    const verdict = await guardrail.check({ stage: "output", text: turn.text });
    const categories = [...verdict.categories, ...turn.redactions];
    if (turn.isWithheld) {
      yield guardrailResult("output", { action: "block", categories });
      turn.text = withheldMessage;
      return;
    }
    const action = verdict.action === "allow" && turn.redactions.length > 0 ? "redact" : verdict.action;
    yield guardrailResult("output", { action, categories });
    turn.text = verdict.action === "block" ? withheldMessage : verdict.text;
  },
};
