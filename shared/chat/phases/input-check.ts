import { markdownOf } from "../blocks.ts";
import type { RunEvent } from "../events.ts";
import { loadGuardrail, type Stage, type Verdict } from "../guardrails/guardrail.ts";
import type { Phase, Turn } from "../turn.ts";

const refusal =
  "I cannot help with this request: it did not pass this service's safety check. Please put it differently if you meant something else.";

/** What a check came to, as it is shown. */
export function guardrailResult(
  stage: Stage,
  { action, categories }: Pick<Verdict, "action" | "categories">,
): RunEvent {
  return { type: "guardrail_result", data: { stage, action, categories } };
}

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
    if (verdict.action === "redact") replaceQuestion(turn, verdict.text);
    if (verdict.action !== "block") return;
    turn.settled = true;
    turn.text = refusal;
    yield { type: "assistant_message", data: { message_id: turn.run.message_id, content: refusal, final: false } };
  },
};
