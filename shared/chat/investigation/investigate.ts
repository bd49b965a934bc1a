import { blocksAnswers } from "../../guardrails/apply-policy.ts";
import { compileResult } from "../../investigations/compile-result.ts";
import { findInvestigation } from "../../investigations/investigation-store.ts";
import { readRecords } from "../../investigations/record-store.ts";
import type { RunEvent } from "../../runs/events.ts";
import type { CallModel, InvestigationSteps } from "../attached-investigation.ts";
import { shortenPrompt } from "../context/build-prompt.ts";
import { REPORT_TOOL } from "../context/investigation-instructions.ts";
import { preparePrompt } from "../generation/prepare-prompt.ts";
import { RunPaused } from "../pause-turn.ts";
import type { Tool } from "../tools/tool.ts";
import { toPendingToolCalls, useTools } from "../tools/use-tools.ts";
import type { Turn } from "../turn.ts";
import { reportFindings, toInvestigationTools } from "./investigation-tools.ts";
import { readIncident } from "./read-incident.ts";
import { getRecorder } from "./recorder.ts";
import { renderResult } from "./render-result.ts";

/** Maximum number of model calls, and how many of them at the end offer only the tool for the report. */
const [MAX_MODEL_CALLS, MAX_REPORT_CALLS] = [14, 2];

const ends = {
  resolved: `The monitoring tool reports that the incident is resolved. Use no more tools: call ${REPORT_TOOL} with what you found until now.`,
  exhausted: `The budget of this investigation is used up. Use no more tools: call ${REPORT_TOOL} with what you found until now.`,
  unreported: `Call ${REPORT_TOOL} with what you found.`,
} as const;

const say = (turn: Turn, text: string) => turn.answer.prompt.push({ role: "user", content: [{ type: "text", text }] });

/** Calls the model with tools until it has reported its findings or the limit of calls is reached. */
async function* findCause(turn: Turn, allTools: readonly Tool[], callModel: CallModel): AsyncGenerator<RunEvent, void> {
  const { answer } = turn;
  const recorder = getRecorder(turn);
  const tools = toInvestigationTools(allTools);
  if (answer.rounds === 0) yield* preparePrompt(turn, tools);
  if (answer.pendingToolCalls) yield* useTools(turn, tools, answer.pendingToolCalls);
  for (let reportCalls = 0; answer.rounds < MAX_MODEL_CALLS && !recorder.hasReported; ) {
    const progress = await recorder.progress(turn);
    const isEnding = progress !== "investigating" || answer.rounds >= MAX_MODEL_CALLS - MAX_REPORT_CALLS;
    if (isEnding && ++reportCalls > MAX_REPORT_CALLS) break;
    if (isEnding && reportCalls === 1) say(turn, ends[progress === "investigating" ? "exhausted" : progress]);
    answer.rounds++;
    if (answer.rounds > 1) answer.prompt = shortenPrompt(turn, tools);
    const { text, calls } = yield* callModel(turn, isEnding ? [reportFindings] : tools, true);
    if (answer.isWithheld) return;
    if (calls.length > 0) {
      answer.pendingToolCalls = toPendingToolCalls(text, calls);
      yield* useTools(turn, isEnding ? [reportFindings] : tools, answer.pendingToolCalls);
    } else if (reportCalls === 0 && ++reportCalls) {
      answer.prompt.push({ role: "assistant", content: [{ type: "text", text: text || "…" }] });
      say(turn, ends.unreported);
    } else break;
  }
}

/**
 * Replaces the answer by the result that rules derive from the stored observations and claims; other text of the model
 * is discarded.
 */
async function setAnswer(turn: Turn, id: string): Promise<void> {
  const { principal, conversation } = turn;
  const [investigation, records] = await Promise.all([
    findInvestigation(principal, { id, conversation_id: conversation.id }),
    readRecords(principal, id),
  ]);
  if (investigation) turn.answer.text = renderResult(await compileResult(principal, investigation, records));
}

async function* investigate(turn: Turn, tools: readonly Tool[], callModel: CallModel): AsyncGenerator<RunEvent, void> {
  const id = turn.incident?.investigation?.id ?? "";
  turn.answer.isHeld = true;
  try {
    yield* findCause(turn, tools, callModel);
  } catch (error) {
    if (error instanceof RunPaused) throw error;
    await setAnswer(turn, id);
    // The findings until then are stored, unless the policy can reject answers, which need a check as a whole.
    turn.answer.isHeld = blocksAnswers(turn.guardrails);
    throw error;
  }
  await setAnswer(turn, id);
}

export const investigationSteps: InvestigationSteps = { readIncident, investigate };
