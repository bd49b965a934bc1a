import { flagMessage } from "../../conversations/message-store.ts";
import { crisisParagraph, refusalMessage } from "../../guardrails/canned-messages.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import { detectCrisis } from "../detect-crisis.ts";
import { textEvents } from "../generation/emit-text.ts";
import { guardrailResult } from "../guardrail-checks.ts";
import { nameByQuestion } from "../name-conversation.ts";
import type { InputCheckResult } from "../turn.ts";
import type { Phase } from "./phase.ts";

/** Phase that checks the question with the guardrail. A blocked question gets a fixed refusal as its answer. */
export const inputCheck: Phase<InputCheckResult> = {
  name: "input_check",
  async *run(turn) {
    const guardrail = await loadGuardrail(turn.guardrails);
    const verdict = await guardrail.check({ stage: "input", text: turn.questionText });
    yield guardrailResult(turn.record, "input", verdict);
    if (verdict.action !== "allow") await flagMessage(turn.principal, turn.question);
    const questionText = verdict.action === "redact" ? verdict.text : turn.questionText;
    const isInCrisis = await detectCrisis(turn, verdict);
    if (verdict.action !== "block") {
      await nameByQuestion(turn, questionText);
      return { questionText, isInCrisis, isFinal: false };
    }
    turn.answer.text = refusalMessage + (isInCrisis ? crisisParagraph(refusalMessage) : "");
    yield* textEvents(turn, turn.answer.text);
    return { questionText, isInCrisis, isFinal: true };
  },
};
