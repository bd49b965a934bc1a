import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { promptText } from "../../models/prompt-text.ts";
import type { RunEvent } from "../../runs/events.ts";
import { type PromptPlan, planPrompt, toPrompt } from "../context/build-prompt.ts";
import { quoteRecalled } from "../context/history-messages.ts";
import { orElse } from "../context/load-history.ts";
import { type PreviousQuestion, recallMessages, toRecallQuery } from "../context/recall.ts";
import { findSimilar } from "../context/recall-vectors.ts";
import { boundTokens } from "../context/token-bounds.ts";
import { findGap } from "../questions/visitor-question.ts";
import { originsOfMessage } from "../read-origins.ts";
import type { Tool } from "../tools/tool.ts";
import type { Turn } from "../turn.ts";

const warning = (code: string, message: string): RunEvent => ({ type: "preflight_warning", data: { code, message } });
const trimmedWarning = warning("history_trimmed", "Only the latest part of the conversation is used as context.");
const questionWarning = warning(
  "question_trimmed",
  "The message is too long for the model, so its middle was left out. Attach long texts as files.",
);

/** Returns the messages of the conversation that the prompt does not contain, oldest first. */
async function findOmitted(turn: Turn, { main, thread }: PromptPlan): Promise<StoredMessage[]> {
  const { stored } = turn.history;
  const older = await orElse(turn, stored.readOlder(), []);
  const ids = new Set(older.map(({ message_id }) => message_id));
  const read = stored.main.filter(({ message_id }) => message_id < main.firstId && !ids.has(message_id));
  const replies = promptText(thread);
  const isOmitted = ({ content }: StoredMessage) => !replies.includes(blocksToMarkdown(content));
  return [...older.toReversed(), ...read, ...(thread.length > 0 ? stored.thread.filter(isOmitted) : [])];
}

/** Returns the messages of the conversation that the prompt contains. */
const findVisible = ({ history: { stored } }: Turn, { main }: PromptPlan): StoredMessage[] => [
  ...stored.main.filter(({ message_id }) => message_id >= main.firstId),
  ...stored.thread,
];

/** Weight of the terms of the question before, and if its answer did not know. */
const PREVIOUS_WEIGHT = 0.3;
const UNKNOWN_WEIGHT = 1;

/**
 * Returns the question before this one, which this one may continue. If its answer says that it does not know, its terms
 * count as much as those of this question.
 */
function findPrevious(visible: readonly StoredMessage[]): PreviousQuestion | null {
  const question = visible.findLast(({ role }) => role === "user");
  const answer = visible.findLast(({ role }) => role === "assistant");
  if (!question) return null;
  const isUnknown = answer !== undefined && findGap(blocksToMarkdown(answer.content), [], "") === "unknown";
  return { text: blocksToMarkdown(question.content), weight: isUnknown ? UNKNOWN_WEIGHT : PREVIOUS_WEIGHT };
}

/**
 * Writes the prompt of a turn, with messages that it would otherwise lack and that may be what the question refers to.
 * Adds them to the draft, from which the prompt is built again if the provider rejects it as too long.
 */
export async function* preparePrompt(turn: Turn, tools: readonly Tool[]): AsyncGenerator<RunEvent, void> {
  const { answer, history, guardrails, questionText } = turn;
  const plan = planPrompt(turn, tools);
  answer.historyTokens = plan.historyTokens;
  answer.summaryUntilId = plan.main.summary?.until_id ?? null;
  if (plan.question !== questionText) yield questionWarning;
  const isThreadCut = plan.thread.length < history.thread.length;
  if (!plan.main.isWhole || isThreadCut) {
    // No warning in a thread, because its answers need few of the messages around it.
    if (plan.main.isTrimmed && history.thread.length === 0) yield trimmedWarning;
    const visible = findVisible(turn, plan);
    const query = toRecallQuery(questionText, findPrevious(visible), visible);
    // Messages such as "Thanks." refer to nothing older, so that they cost no reads.
    const [omitted, similarIds] =
      query.terms.size > 0
        ? await Promise.all([findOmitted(turn, plan), findSimilar(history.summaries.at(-1)?.recall, questionText)])
        : [[], []];
    const recalled = recallMessages(query, omitted, plan.recallTokens, similarIds);
    answer.recalled = await quoteRecalled(guardrails, recalled);
    answer.addedOrigins.push(...recalled.flatMap(({ message }) => originsOfMessage(turn, message)));
  }
  answer.prompt = toPrompt(turn, plan, answer.recalled);
  // The bound for images says nothing about that for text.
  const hasImages = turn.files.some(({ kind }) => kind === "image");
  answer.promptTokens = hasImages ? null : plan.promptTokens + boundTokens(answer.recalled);
}
