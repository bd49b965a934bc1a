import { type BranchMessage, BranchReader } from "../../client/branch.ts";
import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import {
  findMessage,
  listLatestReplies,
  listMessagesBefore,
  type StoredMessage,
} from "../../conversations/message-store.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import type { ContextBudget } from "./context-budget.ts";
import { boundTokens } from "./token-bounds.ts";
import { getTokenScale } from "./token-scale.ts";

/** Number of messages in the first query. Most prompts need no second one. */
const FIRST_READ_MESSAGES = 41;
/** Number of messages in each further query. */
const NEXT_READ_MESSAGES = 120;
/** Limit after which no further query is made for one prompt. */
const MAX_READ_MESSAGES = 640;
const MAX_THREAD_MESSAGES = 100;

/** Number of replies that were read of a thread, and the latest reply. */
export interface ThreadState {
  readonly count: number;
  readonly latest: StoredMessage;
}

/** Messages before a question, oldest first. */
export interface History {
  /** Messages outside of threads, on the branch of the question. */
  readonly main: readonly StoredMessage[];
  /** Threads below these messages, by the id of the message that they reply to. */
  readonly threads: ReadonlyMap<string, ThreadState>;
  /**
   * For a question in a thread: the message that the thread replies to (null if it was deleted) and the earlier
   * replies. Otherwise null.
   */
  readonly thread: { readonly root: StoredMessage | null; readonly messages: readonly StoredMessage[] } | null;
  /** True if the branch has messages before the first one in `main`. */
  readonly isCut: boolean;
  /**
   * Reads the messages of the branch before `main`, newest first, until there are `maxMessages` or the message
   * `untilId` is passed.
   */
  readonly readOlder: (limits?: OlderLimits) => Promise<readonly StoredMessage[]>;
}

interface OlderLimits {
  /** By default `MAX_READ_MESSAGES`. */
  readonly maxMessages?: number;
  readonly untilId?: string;
}

/**
 * Reads the branch backward from a message until the prompt is full or `MAX_READ_MESSAGES` are read.
 * @param isFull called for each message from the newest on; returns true at the message with which the prompt is full
 */
async function readMain(
  scope: TenantScope,
  next: StoredMessage,
  isFull: (message: StoredMessage) => boolean,
): Promise<Omit<History, "thread">> {
  const reader = new BranchReader(next as BranchMessage);
  const threads = new Map<string, ThreadState>();
  let position = next;
  let isAtStart = false;
  /** Messages of the branch that were read and did not fit into `main`, newest first. */
  const older: StoredMessage[] = [];

  /**
   * Reads one page and returns those of its messages that are on the branch, newest first. Counts replies of threads.
   */
  async function readPage(limit: number): Promise<StoredMessage[]> {
    const page = await listMessagesBefore(scope, position, limit);
    isAtStart = page.length < limit;
    position = page[0] ?? position;
    const replies = page.filter(({ parent_id }) => parent_id !== null).reverse();
    for (const message of replies) {
      const parentId = String(message.parent_id);
      const known = threads.get(parentId);
      threads.set(parentId, { count: (known?.count ?? 0) + 1, latest: known?.latest ?? message });
    }
    return page
      .toReversed()
      .filter((message) => message.parent_id === null && reader.accepts(message as BranchMessage));
  }

  const main: StoredMessage[] = [];
  for (let readCount = 0, limit = FIRST_READ_MESSAGES; !isAtStart && readCount < MAX_READ_MESSAGES; ) {
    const page = await readPage(limit);
    const full = page.findIndex(isFull);
    main.push(...(full === -1 ? page : page.slice(0, full + 1)));
    if (full !== -1) {
      older.push(...page.slice(full + 1));
      break;
    }
    readCount += limit;
    limit = NEXT_READ_MESSAGES;
  }
  return {
    main: main.reverse(),
    threads,
    isCut: !isAtStart || older.length > 0,
    async readOlder({ maxMessages = MAX_READ_MESSAGES, untilId = "" } = {}) {
      while (!isAtStart && older.length < maxMessages && position.message_id > untilId) {
        older.push(...(await readPage(NEXT_READ_MESSAGES)));
      }
      return older;
    },
  };
}

/**
 * Returns the replies of a thread before a question, oldest first. Merges the thread's index, which is eventually
 * consistent, with a read of the latest messages of the conversation.
 */
async function readThread(scope: TenantScope, question: StoredMessage, parentId: string): Promise<StoredMessage[]> {
  const [listed, recent] = await Promise.all([
    listLatestReplies(scope, parentId, MAX_THREAD_MESSAGES),
    listMessagesBefore(scope, question, FIRST_READ_MESSAGES),
  ]);
  const messages = [...listed, ...recent.filter(({ parent_id }) => parent_id === parentId)];
  const byId = new Map(messages.map((message) => [message.message_id, message]));
  const before = [...byId.values()].filter(({ message_id }) => message_id < question.message_id);
  const reader = new BranchReader(question as BranchMessage);
  return before
    .sort((a, b) => (a.message_id < b.message_id ? 1 : -1))
    .filter((message) => reader.accepts(message as BranchMessage))
    .reverse();
}

/**
 * Returns a function that adds up the sizes of messages, and returns true once they exceed the largest prompt of the
 * model.
 */
export function untilPromptIsFull(budget: ContextBudget, model: string): (message: StoredMessage) => boolean {
  const messages: StoredMessage[] = [];
  let tokens = 0;
  return (message) => {
    messages.unshift(message);
    tokens += Math.min(boundTokens(blocksToMarkdown(message.content)), budget.message);
    return tokens > budget.prompt && tokens > budget.prompt * getTokenScale(messages, model);
  };
}

/**
 * Reads the messages before a question that its prompt can contain.
 * @param isFull called for each message outside of threads, from the newest on; returns true at the message with which
 * the prompt is full
 */
export async function readHistory(
  scope: TenantScope,
  question: StoredMessage,
  isFull: (message: StoredMessage) => boolean,
): Promise<History> {
  const { parent_id: parentId, conversation_id } = question;
  if (parentId === null) return { ...(await readMain(scope, question, isFull)), thread: null };
  const [root, messages] = await Promise.all([
    findMessage(scope, conversation_id, parentId),
    readThread(scope, question, parentId),
  ]);
  const { replaces_id: _, after_id: __, ...start } = root ?? question;
  const main = await readMain(scope, start, isFull);
  return { ...main, thread: { root: root ?? null, messages } };
}
