import { markdownOf } from "../../conversations/blocks.ts";
import { flagMessage } from "../../conversations/message-store.ts";
import { refusal } from "../../guardrails/canned-messages.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import { guardrailResult } from "../guardrail-checks.ts";
import type { Phase, Turn } from "../turn.ts";

/** The question as the model gets to see it. */
function replaceQuestion(turn: Turn, text: string): void {
  turn.history = [...turn.history.slice(0, -1), { role: "user", content: [{ type: "text", text }] }];
}

/** Looks at the question before anybody answers it. */
export const inputCheck: Phase = {
  name: "input_check",
  async *run(turn) {
    const guardrail = await loadGuardrail();
    const verdict = await guardrail.check({ stage: "input", text: markdownOf(turn.question.content) });
    yield guardrailResult("input", verdict);
    if (verdict.action !== "allow") await flagMessage(turn.principal, turn.question);
    if (verdict.action === "redact") replaceQuestion(turn, verdict.text);
    turn.needsCare = verdict.categories.some(({ category }) => category === "self_harm");
    if (verdict.action !== "block") return;
    turn.settled = true;
    turn.text = refusal;
    yield { type: "assistant_message", data: { message_id: turn.run.message_id, content: refusal, final: false } };
  },
};
