import type { Message } from "../../../../../shared/api/conversations/messages.ts";
import { groupVersions, selectBranch } from "../../../../../shared/client/branch.ts";
import type { ChatRequest } from "../../../../../shared/client/index.ts";
import type { Citation, LiveReply, ReplyHead } from "../run.ts";

/** Sends a request in the conversation that is shown. */
export type SendRequest = (
  body: Omit<ChatRequest, "conversation_id">,
  parts?: Partial<Pick<LiveReply, "attachments" | "documents">>,
) => void;

/** Returns the messages outside of threads. */
export const mainLine = (messages: readonly Message[]) => messages.filter(({ parent_id }) => parent_id === null);

/** Message of the shown branch, with its versions on other branches. */
export interface BranchTurn {
  readonly message: Message;
  /** All versions of the message, oldest first, including itself. */
  readonly versions: readonly Message[];
}

/**
 * Returns the turns of a branch. If a reply that replaces messages is being written, the turns end before these.
 * @param messages loaded messages of the conversation or of one thread, oldest first
 * @param activeId last message of the branch; null for the newest branch
 */
export function toTurns(
  messages: readonly Message[],
  activeId: string | null,
  reply: Pick<ReplyHead, "messageId" | "request"> | null,
): BranchTurn[] {
  const isStored = reply !== null && messages.some(({ message_id }) => message_id === reply.messageId);
  const complete = messages.filter(
    ({ message_id, status }) => message_id !== reply?.messageId && status !== "streaming",
  );
  const branch = selectBranch(isStored ? messages : complete, isStored ? reply.messageId : activeId);
  const replacedId = reply?.request?.edit_message_id ?? reply?.request?.regenerate_message_id;
  const end = isStored ? -1 : branch.findIndex(({ message_id }) => message_id === replacedId);
  const versions = groupVersions(complete);
  return branch.slice(0, end < 0 ? branch.length : end).flatMap((message) => {
    const group = versions.get(message.message_id);
    return group ? [{ message, versions: group }] : [];
  });
}

/**
 * Returns a function that tries a failed reply again. It requests another answer to a stored question, or else sends the
 * request again; null if neither is possible.
 */
export function retryOf(
  { messageId, request }: ReplyHead,
  isStored: boolean,
  send: (request: Omit<ChatRequest, "conversation_id">) => void,
): (() => void) | null {
  if (isStored && messageId !== null) return () => send({ regenerate_message_id: messageId });
  return request && (() => send(request));
}

/** Returns the text of a question that failed before it was stored, so that the user can change it; otherwise null. */
export function unsentQuestion({ messageId, request, state }: ReplyHead): string | null {
  return state === "failed" && messageId === null && !request?.edit_message_id ? (request?.content ?? null) : null;
}

/** Actions of a reader on the messages of a conversation or thread. */
export interface TurnActions {
  readonly openCitation: (citation: Citation) => void;
  /** Shows the branch that contains a version. */
  readonly choose: (messageId: string) => void;
  /** Requests another answer to the same question. */
  readonly regenerate: (messageId: string) => void;
  /** Asks a changed question instead of an earlier one. */
  readonly edit: (messageId: string, content: string) => void;
  /** Adds a text to the next question as a quote; null in threads. */
  readonly quote: ((text: string) => void) | null;
  /** Opens the thread of a message; null in threads. */
  readonly openThread: ((messageId: string) => void) | null;
}
