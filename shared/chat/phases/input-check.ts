import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import { flagMessage } from "../../conversations/message-store.ts";
import { crisisParagraph, refusalMessage } from "../../guardrails/canned-messages.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import { textEvents } from "../emit-text.ts";
import { guardrailResult } from "../guardrail-checks.ts";
import { nameByQuestion } from "../name-conversation.ts";
import type { Phase } from "../turn.ts";

/** Phase that checks the question with the guardrail. A blocked question gets a fixed refusal as its answer. */
export const inputCheck: Phase = {
  name: "input_check",
  async *run(turn) {
    const guardrail = await loadGuardrail(turn.guardrails);
    const verdict = await guardrail.check({ stage: "input", text: blocksToMarkdown(turn.question.content) });
    yield guardrailResult("input", verdict);
    if (verdict.action !== "allow") await flagMessage(turn.principal, turn.question);
    if (verdict.action === "redact") turn.questionText = verdict.text;
    if (verdict.action !== "block") await nameByQuestion(turn);
    turn.isInCrisis = verdict.categories.some(({ category }) => category === "self_harm");
    if (verdict.action !== "block") return;
    turn.isFinal = true;
    turn.isHeld = false;
    turn.text = refusalMessage + (turn.isInCrisis ? crisisParagraph(refusalMessage) : "");
    yield* textEvents(turn, turn.text);
  },
};
