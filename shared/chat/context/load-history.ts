import type { GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { listSummaries, type StoredSummary } from "../../conversations/summary-store.ts";
import { log } from "../../lib/log.ts";
import { originsOfMessage } from "../read-origins.ts";
import type { PreflightResult, Turn } from "../turn.ts";
import type { ContextBudget } from "./context-budget.ts";
import { toHistoryMessages } from "./history-messages.ts";
import type { History } from "./read-history.ts";
import { boundTokens } from "./token-bounds.ts";
import { getTokenScale } from "./token-scale.ts";

/**
 * Share of the prompt up to which the messages of a conversation fit next to everything else, so that its summaries are
 * not read.
 */
const SHORT_SHARE = 0.2;

/** Returns the result of a read, or the fallback if the read fails. Only for reads that the answer can do without. */
export async function orElse<Result>(turn: Turn, read: Promise<Result>, fallback: Result): Promise<Result> {
  try {
    return await read;
  } catch (error) {
    log.warn("beginning of conversation not read", { message_id: turn.run.message_id, error });
    return fallback;
  }
}

/** Messages outside of threads from the one after the shortest summary on, and the summaries of the branch. */
interface Line extends Pick<History, "main" | "isCut"> {
  readonly summaries: readonly StoredSummary[];
}

/**
 * Reads the summaries of a branch. If the branch has more messages than were read since its longest summary, also reads
 * these.
 */
async function readSummaries({ principal, conversation }: Turn, history: History): Promise<Line> {
  const { main, isCut } = history;
  const listed = await listSummaries(principal, conversation.id, main.at(-1)?.message_id);
  const onBranch = (messages: readonly StoredMessage[]) => {
    const ids = new Set(messages.map(({ message_id }) => message_id));
    return listed.filter(({ until_id }) => ids.has(until_id)).reverse();
  };
  const summaries = onBranch(main);
  const [longest] = listed;
  if (summaries.length > 0 || !longest || !isCut) return { main, isCut, summaries };
  const older = await history.readOlder({ untilId: longest.until_id });
  const all = [...older.toReversed(), ...main];
  return { main: all, isCut, summaries: onBranch(all) };
}

/** Returns the messages of the branch, the latest reply of each of its threads, and the thread of the question. */
export const allMessages = ({ main, threads, thread }: History): StoredMessage[] => [
  ...main,
  ...[...threads.values()].map(({ latest }) => latest),
  ...(thread?.root ? [thread.root] : []),
  ...(thread?.messages ?? []),
];

/**
 * Converts the messages that the prompt can contain, and reads the summaries of their beginning unless the conversation
 * is short.
 */
export async function loadHistory(
  turn: Turn,
  history: History,
  guardrails: GuardrailPolicy,
  budget: ContextBudget,
): Promise<Pick<PreflightResult, "history" | "historyOrigins">> {
  const { isCut, readOlder, thread } = history;
  const unsummarized: Line = { main: history.main, isCut, summaries: [] };
  const isLong = isCut || boundMessages(history.main) > budget.prompt * SHORT_SHARE;
  const line = isLong ? await orElse(turn, readSummaries(turn, history), unsummarized) : unsummarized;
  const messages = await toHistoryMessages(guardrails, { ...history, main: line.main }, turn.question);
  return {
    history: {
      ...messages,
      summaries: line.summaries,
      usedUntilId: findUsed(line.main, turn.run.model),
      isCut: line.isCut,
      tokenScale: getTokenScale(line.main, turn.run.model),
      stored: { main: line.main, thread: thread?.messages ?? [], readOlder },
    },
    historyOrigins: [
      ...line.summaries.flatMap(({ read_origins }) => read_origins),
      ...allMessages({ ...history, main: line.main }).flatMap((message) => originsOfMessage(turn, message)),
    ],
  };
}

/** Returns the last message of the summary that the latest answer of a model had, or null. */
const findUsed = (messages: readonly StoredMessage[], model: string): string | null =>
  messages.findLast((message) => message.role === "assistant" && message.model === model)?.summary_until_id ?? null;

/** Returns an upper bound of the tokens of stored messages. */
const boundMessages = (messages: readonly StoredMessage[]): number =>
  messages.reduce((sum, { content }) => sum + boundTokens(blocksToMarkdown(content)), 0);
