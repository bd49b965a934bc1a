import type { Message } from "../../../../shared/api/conversations/messages.ts";
import { groupVersions, selectBranch } from "../../../../shared/client/branch.ts";
import type { ChatRequest } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { IconButton } from "../ui/buttons.tsx";
import { AssistantMessage, type ThreadAccess, UserMessage } from "./message-view.tsx";
import type { Citation, LiveReply } from "./run.ts";

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
export function toTurns(messages: readonly Message[], activeId: string | null, reply: LiveReply | null): BranchTurn[] {
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
  { messageId, request }: LiveReply,
  isStored: boolean,
  send: (request: Omit<ChatRequest, "conversation_id">) => void,
): (() => void) | null {
  if (isStored && messageId !== null) return () => send({ regenerate_message_id: messageId });
  return request && (() => send(request));
}

/** Returns the text of a question that failed before it was stored, so that the user can change it; otherwise null. */
export function unsentQuestion({ messageId, request, state }: LiveReply): string | null {
  return state === "failed" && messageId === null && !request?.edit_message_id ? (request?.content ?? null) : null;
}

/** Question or answer, with buttons to switch between its versions. */
export function TurnView({
  turn: { message, versions },
  canWrite,
  onOpenCitation,
  onChoose,
  onRegenerate,
  onEdit,
  onQuote = null,
  day = null,
  thread = null,
}: {
  readonly turn: BranchTurn;
  readonly canWrite: boolean;
  readonly onOpenCitation: (citation: Citation) => void;
  /** Shows the branch that contains a version; null if this is not possible. */
  readonly onChoose: ((messageId: string) => void) | null;
  /** Requests another answer to the same question; null if this is not possible. */
  readonly onRegenerate: ((messageId: string) => void) | null;
  /** Asks a changed question instead of this one; null if this is not possible. */
  readonly onEdit: ((messageId: string, content: string) => void) | null;
  /** Adds a text to the next question as a quote; null if this is not possible. */
  readonly onQuote?: ((text: string) => void) | null;
  /** Day to show above the message, if it is the first of that day; otherwise null. */
  readonly day?: string | null;
  /** Access to the threads of the conversation; null for messages within a thread. */
  readonly thread?: ThreadAccess | null;
}) {
  const { message_id, role } = message;
  const index = versions.indexOf(message);
  const choose = (version: Message | undefined) => () => version && onChoose?.(version.message_id);
  return (
    <>
      {day && <p class="day">{day}</p>}
      {versions.length > 1 && (
        <div
          class={`versions ${role === "user" ? "end" : ""}`}
          role="group"
          aria-label={role === "user" ? t("Versions of the question") : t("Versions of the answer")}
        >
          <IconButton
            icon="back"
            label={t("Previous version")}
            disabled={!onChoose || index === 0}
            onClick={choose(versions[index - 1])}
          />
          <span class="small muted" aria-live="polite">
            {t("Version {number} of {count}", { number: index + 1, count: versions.length })}
          </span>
          <IconButton
            icon="next"
            label={t("Next version")}
            disabled={!onChoose || index === versions.length - 1}
            onClick={choose(versions[index + 1])}
          />
        </div>
      )}
      {role === "user" ? (
        <UserMessage
          key={message_id}
          message={message}
          canWrite={canWrite}
          thread={thread}
          onEdit={onEdit && ((content) => onEdit(message_id, content))}
        />
      ) : (
        <AssistantMessage
          key={message_id}
          message={message}
          canWrite={canWrite}
          thread={thread}
          onOpenCitation={onOpenCitation}
          onQuote={onQuote}
          onRegenerate={onRegenerate && role === "assistant" ? () => onRegenerate(message_id) : null}
        />
      )}
    </>
  );
}
