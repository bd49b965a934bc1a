import { useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { IconButton } from "../ui/controls.tsx";
import { AssistantMessage, type ThreadAccess, UserMessage } from "./message-view.tsx";
import type { Block, Citation, Message } from "./run.ts";

/** Answers to the same question; the newest one is shown first. */
export type Turn = readonly Message[];

/** Groups answers that follow one another: regenerated answers are versions of the first one. */
export function toTurns(messages: readonly Message[]): Turn[] {
  const turns: Message[][] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const isVersion =
      message.role === "assistant" && last?.at(-1)?.role === "assistant" && last[0]?.parent_id === message.parent_id;
    if (isVersion) last.push(message);
    else turns.push([message]);
  }
  return turns;
}

/** Question, or the versions of an answer with a way to choose one. */
export function TurnView({
  turn,
  isHidden,
  canWrite,
  onOpenCitation,
  onRegenerate,
  answerId,
  thread = null,
}: {
  readonly turn: Turn;
  readonly isHidden: boolean;
  readonly canWrite: boolean;
  readonly onOpenCitation: (blocks: readonly Block[]) => (citation: Citation) => void;
  readonly onRegenerate: ((messageId: string) => void) | null;
  /** Id of the newest answer to this question. */
  readonly answerId: string | null;
  /** Thread of the messages; null within a thread. */
  readonly thread?: ThreadAccess | null;
}) {
  const [chosen, setChosen] = useState<number | null>(null);
  const index = Math.min(chosen ?? turn.length - 1, turn.length - 1);
  const message = turn[index];
  if (!message || isHidden) return null;
  if (message.role === "user") {
    return (
      <UserMessage
        message={message}
        canWrite={canWrite}
        thread={thread}
        onOpenCitation={onOpenCitation(message.content)}
        onRegenerate={onRegenerate && answerId ? () => onRegenerate(answerId) : null}
      />
    );
  }
  return (
    <>
      {turn.length > 1 && (
        <div class="versions">
          <IconButton
            icon="back"
            label={t("Previous version")}
            disabled={index === 0}
            onClick={() => setChosen(index - 1)}
          />
          <span class="small muted">{t("Version {number} of {count}", { number: index + 1, count: turn.length })}</span>
          <IconButton
            icon="next"
            label={t("Next version")}
            disabled={index === turn.length - 1}
            onClick={() => setChosen(index + 1)}
          />
        </div>
      )}
      <AssistantMessage
        message={message}
        canWrite={canWrite}
        thread={thread}
        onOpenCitation={onOpenCitation(message.content)}
        onRegenerate={onRegenerate && message.role === "assistant" ? () => onRegenerate(message.message_id) : null}
      />
    </>
  );
}
