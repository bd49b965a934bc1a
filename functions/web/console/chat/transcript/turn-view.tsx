import type { Message } from "../../../../../shared/api/conversations/messages.ts";
import { t } from "../../lib/i18n.ts";
import { memo } from "../../lib/memo.ts";
import { IconButton } from "../../ui/buttons.tsx";
import type { BranchTurn, TurnActions } from "./branch-turns.ts";
import { AssistantMessage, UserMessage } from "./message-view.tsx";

/**
 * Question or answer, with buttons to switch between its versions. The page hides what `data-idle-only` marks while an answer is
 * being written, so that no other message must be drawn again then.
 */
export const TurnView = memo(function Turn({
  message,
  versions,
  canWrite,
  actions,
  day = null,
  replyCount = 0,
}: BranchTurn & {
  readonly canWrite: boolean;
  /** Functions that remain the same while the page is shown. */
  readonly actions: TurnActions;
  /** Day to show above the message, if it is the first of that day; otherwise null. */
  readonly day?: string | null;
  /** Number of replies in the thread of the message. */
  readonly replyCount?: number;
}) {
  const View = message.role === "user" ? UserMessage : AssistantMessage;
  return (
    <>
      {day && <p class="day">{day}</p>}
      {versions.length > 1 && <Versions message={message} versions={versions} choose={actions.choose} />}
      <View key={message.message_id} message={message} canWrite={canWrite} replyCount={replyCount} actions={actions} />
    </>
  );
});

/** Buttons to switch between the versions of a question or answer. */
function Versions({ message, versions, choose }: BranchTurn & Pick<TurnActions, "choose">) {
  const isQuestion = message.role === "user";
  const index = versions.indexOf(message);
  const show = (version: Message | undefined) => () => version && choose(version.message_id);
  return (
    <div
      class={`versions ${isQuestion ? "end" : ""}`}
      role="group"
      aria-label={isQuestion ? t("Versions of the question") : t("Versions of the answer")}
    >
      <IconButton
        data-idle-only
        icon="back"
        label={t("Previous version")}
        disabled={index === 0}
        onClick={show(versions[index - 1])}
      />

      <span class="small muted" aria-live="polite">
        {t("Version {number} of {count}", { number: index + 1, count: versions.length })}
      </span>

      <IconButton
        data-idle-only
        icon="next"
        label={t("Next version")}
        disabled={index === versions.length - 1}
        onClick={show(versions[index + 1])}
      />
    </div>
  );
}
