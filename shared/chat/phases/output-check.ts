import { isAnswerBlocked, mergeByCategory } from "../../guardrails/apply-policy.ts";
import { crisisParagraph, withheldMessage } from "../../guardrails/canned-messages.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import type { GuardrailVerdict } from "../../guardrails/types.ts";
import { now } from "../../lib/clock.ts";
import { textEvents } from "../generation/emit-text.ts";
import { guardrailResult } from "../guardrail-checks.ts";
import type { Turn } from "../turn.ts";
import type { Phase } from "./phase.ts";

/**
 * Returns the action for the whole answer. It is also `redact` if all findings were already redacted while the answer
 * was streaming.
 */
function findAction(
  { guardrails, answer: { isWithheld, redactions } }: Turn,
  { action }: GuardrailVerdict,
): GuardrailVerdict["action"] {
  if (isWithheld || isAnswerBlocked(guardrails, redactions)) return "block";
  return action === "allow" && redactions.length > 0 ? "redact" : action;
}

/**
 * Phase that checks the complete answer with the guardrail, sends it if it was held, and appends the contacts for
 * people in a crisis.
 */
export const outputCheck: Phase = {
  name: "output_check",
  async *run(turn) {
    if (turn.isFinal) return;
    const { answer, record } = turn;
    const guardrail = await loadGuardrail(turn.guardrails);
    const verdict = await guardrail.check({ stage: "output", text: answer.text, question: turn.questionText });
    const action = findAction(turn, verdict);
    const categories = mergeByCategory([...verdict.categories, ...answer.redactions]);
    const rules = [...new Set([...verdict.rules, ...answer.redactedFormats])];
    const removed = [...new Set([...(verdict.removed ?? []), ...answer.redactedFormats])];
    yield guardrailResult(record, "output", { action, categories, rules, removed: action === "redact" ? removed : [] });
    answer.text = action === "block" ? withheldMessage : verdict.text;
    if (action === "block") answer.isCut = false;
    if (answer.isHeld) {
      answer.isHeld = false;
      record.firstTokenAt ??= now();
      yield* textEvents(turn, answer.text);
    }
    if (!turn.isInCrisis) return;
    const notice = crisisParagraph(answer.text);
    answer.text += notice;
    yield* textEvents(turn, notice);
  },
};
