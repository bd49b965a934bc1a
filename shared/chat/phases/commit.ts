import type { Message, Usage } from "../../api/conversations/messages.ts";
import { parseBlocks } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { promptText } from "../../models/prompt-text.ts";
import { toUsage } from "../../models/tokens.ts";
import { RunEnded } from "../../runs/run-controller.ts";
import { storeAnswerOfRun } from "../../runs/store-answer.ts";
import { toAnswerMessage } from "../../runs/to-answer-message.ts";
import { toEndedCard } from "../../runs/tool-cards.ts";
import { findAttachedTools } from "../attached-tools.ts";
import { toCitationBlocks } from "../citations.ts";
import { toVisitorQuestion } from "../questions/visitor-question.ts";
import { readOrigins } from "../read-origins.ts";
import type { AnswerDraft, CommitResult, Turn } from "../turn.ts";
import type { Phase } from "./phase.ts";

/** Returns the ratio of counted tokens to their bound, if one call of the model made the answer. */
function toTokenRatio({ answer: { promptTokens }, record }: Turn): Pick<StoredMessage, "token_ratio"> {
  const [call, ...others] = record.operations.filter(({ operation }) => operation === "chat");
  if (!promptTokens || call?.input_tokens === undefined || others.length > 0) return {};
  return { token_ratio: Math.round((1_000 * call.input_tokens) / promptTokens) / 1_000 };
}

/** Returns the reason for the end of a complete answer, if it is not the natural one. */
export const toFinish = ({ isCut }: AnswerDraft) => (isCut ? ({ finish_reason: "length" } as const) : {});

/** Returns the calls of tools as a visitor sees them. */
function toToolCards({ principal, run, record }: Turn): Pick<StoredMessage, "tool_cards"> {
  if (principal.kind !== "visitor" || record.toolCalls.length === 0) return {};
  const tools = findAttachedTools({ run })?.tools ?? [];
  const titleOf = (name: string) => tools.find((tool) => tool.name === name)?.title ?? name;
  return { tool_cards: record.toolCalls.map(({ name, status }) => toEndedCard({ title: titleOf(name), status })) };
}

/** Returns the usage of an answer; null if no model was called for it. */
export function getTurnUsage({ isFinal, answer: { text, modelId, prompt }, record }: Turn): Usage | null {
  const isGenerated = !isFinal && (text.length > 0 || record.usage !== undefined);
  return isGenerated ? toUsage(modelId, record.usage, { input: promptText(prompt), output: text }) : null;
}

/**
 * Stores the answer with its citations and usage.
 * @param failure reason for the status `failed`
 * @returns the stored answer; if the reaper has already ended this run, the answer that the reaper stored
 */
export async function storeAnswer(
  turn: Turn,
  status: Exclude<Message["status"], "streaming">,
  failure?: Pick<StoredMessage, "error" | "is_refused">,
): Promise<StoredMessage> {
  const { run, principal } = turn;
  const { text, sources, extras, modelId } = turn.answer;
  const blocks = parseBlocks(text);
  const content = [...blocks, ...toCitationBlocks(text, blocks, sources), ...extras];
  const isForVisitor = principal.kind === "visitor" && status === "complete" && !turn.isFinal;
  const message = toAnswerMessage(run, {
    content,
    status,
    model: modelId,
    usage: getTurnUsage(turn),
    read_origins: [...readOrigins(turn)],
    // Without the time for which a run was paused.
    duration_ms: turn.record.timings.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    ...toTokenRatio(turn),
    ...(turn.answer.summaryUntilId !== null && { summary_until_id: turn.answer.summaryUntilId }),
    ...(status === "complete" && toFinish(turn.answer)),
    ...failure,
    ...(isForVisitor && { visitor_question: toVisitorQuestion(turn, content) }),
    ...toToolCards(turn),
    ...(turn.record.checks.length > 0 && { checks: turn.record.checks }),
  });
  return storeAnswerOfRun(principal, message);
}

/** Phase that stores the complete answer and emits its blocks and usage. */
export const commit: Phase<CommitResult> = {
  name: "commit",
  async *run(turn) {
    const { content, usage, status } = await storeAnswer(turn, "complete");
    // The reaper, which ends runs whose function has died, considered this run dead and stored a partial answer. That
    // answer is final.
    if (status !== "complete") throw new RunEnded("shutdown");
    yield { type: "assistant_message", data: { message_id: turn.run.message_id, content, final: true } };
    if (usage) yield { type: "swtoken_update", data: usage };
    return { blockCount: content.length };
  },
};
