import { type BranchMessage, BranchReader } from "../../client/branch.ts";
import {
  findMessage,
  listLatestReplies,
  listMessagesBefore,
  type StoredMessage,
} from "../../conversations/message-store.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";

/** Number of messages that the first read returns, which is all that most turns need. */
const FIRST_READ_MESSAGES = 41;
/** Number of messages that each further read returns. */
const NEXT_READ_MESSAGES = 120;
/** Maximum number of messages that are read for one prompt. */
const MAX_READ_MESSAGES = 640;
/** Maximum number of messages of a thread in a prompt. */
const MAX_THREAD_MESSAGES = 100;

/** Latest state of a thread, for the prompt of the main line. */
export interface ThreadState {
  readonly count: number;
  readonly latest: StoredMessage;
}

/** Earlier messages of a prompt, oldest first. */
export interface History {
  /** Messages of the main line, on the branch of the question. */
  readonly main: readonly StoredMessage[];
  /** Threads of these messages, by the id of their first message. */
  readonly threads: ReadonlyMap<string, ThreadState>;
  /** For a question in a thread: the message that the thread is about, and the messages of the thread. */
  readonly thread: { readonly root: StoredMessage | null; readonly messages: readonly StoredMessage[] } | null;
  /** True if the branch begins before its first message here. */
  readonly isCut: boolean;
  /** Reads messages of the branch before the first one here, newest first. */
  readonly readOlder: () => Promise<StoredMessage[]>;
  /** Returns true if a message that is older than those here was replaced on this branch. */
  readonly isReplaced: (messageId: string) => boolean;
}

/**
 * Reads the branch that ends before a message, newest first, until the messages fill the budget.
 * @param isFull returns true when the messages that were accepted so far exceed what a prompt can contain
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
  /** Messages that were read and that are older than those in the prompt. */
  const older: StoredMessage[] = [];

  /** Reads one page, and returns its messages of the branch, newest first. */
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
    isReplaced: (messageId) => reader.skips(messageId),
    async readOlder() {
      while (!isAtStart && older.length < MAX_READ_MESSAGES) older.push(...(await readPage(NEXT_READ_MESSAGES)));
      return older;
    },
  };
}

/** Returns the messages of a thread before a question, oldest first. The index can lack the newest ones, the main read does not. */
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
 * Reads the messages that a prompt for a question can contain.
 * @param isFull returns true when the messages of the main line that were accepted so far fill the budget
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
