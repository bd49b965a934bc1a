import { blocksAnswers } from "../../guardrails/apply-policy.ts";
import { ServiceError } from "../../lib/errors.ts";
import { findInvestigationSteps } from "../attached-investigation.ts";
import { findAttachedTools } from "../attached-tools.ts";
import { shortenPrompt } from "../context/build-prompt.ts";
import { callModel } from "../generation/call-model.ts";
import { preparePrompt } from "../generation/prepare-prompt.ts";
import { thinkingComplete } from "../thinking.ts";
import { withResultReader } from "../tools/long-results.ts";
import { toolRounds } from "../tools/tool-rounds.ts";
import { getTools } from "../tools/tools.ts";
import { toPendingToolCalls, useTools } from "../tools/use-tools.ts";
import type { AnswerDraft } from "../turn.ts";
import type { Phase } from "./phase.ts";

/** Returns the error for an answer without text, such as that of a model whose reasoning took all of its output tokens. */
const emptyAnswer = ({ isCut }: AnswerDraft) =>
  new ServiceError(
    "model_error",
    isCut
      ? "The model reached its maximum number of output tokens before it answered. Raise the maximum of the persona, or choose another model."
      : "The model returned an empty answer.",
  );

/**
 * Phase that calls the model and executes its tool calls in turn, until a response has none or the maximum number of
 * rounds is reached; or that investigates an incident.
 */
export const generation: Phase = {
  name: "generation",
  async *run(turn) {
    if (turn.isFinal) return;
    const { answer } = turn;
    answer.isHeld = blocksAnswers(turn.guardrails);
    const maxRounds = toolRounds(turn.run.tier);
    const steps = findInvestigationSteps(turn);
    try {
      const tools = getTools(turn);
      if (steps) yield* steps.investigate(turn, tools, callModel);
      else {
        if (answer.rounds === 0) yield* preparePrompt(turn, tools);
        // Without another round, the model could not read the rest of a result.
        answer.longResults = maxRounds > 1 ? (answer.longResults ?? new Map()) : null;
        do {
          if (answer.pendingToolCalls) yield* useTools(turn, withResultReader(turn, tools), answer.pendingToolCalls);
          answer.rounds++;
          const canUseTools = answer.rounds <= maxRounds;
          if (answer.rounds > 1) answer.prompt = shortenPrompt(turn, tools);
          const { text, calls } = yield* callModel(turn, withResultReader(turn, tools), canUseTools);
          if (canUseTools && calls.length > 0 && !answer.isWithheld) {
            answer.pendingToolCalls = toPendingToolCalls(text, calls);
          }
        } while (answer.pendingToolCalls);
      }
    } finally {
      await findAttachedTools(turn)?.close();
    }
    yield* thinkingComplete(turn);
    if (answer.text.length === 0) throw emptyAnswer(answer);
  },
};
