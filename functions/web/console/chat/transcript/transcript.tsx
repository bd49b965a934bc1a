import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Message } from "../../../../../shared/api/conversations/messages.ts";
import { findLeaf } from "../../../../../shared/client/branch.ts";
import { type Resource, updateResource } from "../../lib/data.ts";
import { formatDay } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { isSame, memo } from "../../lib/memo.ts";
import { showError } from "../../lib/toast.ts";
import { Button } from "../../ui/buttons.tsx";
import { Skeleton } from "../../ui/status.tsx";
import { AlertGroupView, groupAlerts } from "../alerts/alert-group.tsx";
import { loadMessages, messagesKey, type ReplyHead, replyHead, setActiveMessage, type Transcript } from "../run.ts";
import { type BranchTurn, mainLine, type SendRequest, type TurnActions, toTurns } from "./branch-turns.ts";
import { RunningReply } from "./live-reply.tsx";
import { holdPosition, readPosition, type Scroll, useFollowText } from "./scroll.ts";
import { TurnView } from "./turn-view.tsx";

/** Messages of a conversation, and the reply that is being written. */
export function TranscriptView({
  id,
  transcript,
  activeId,
  canWrite,
  scroll,
  actions,
  request,
  onAsk,
  onTakeBack,
  failure,
  soughtId,
  onFound,
}: {
  readonly id: string;
  readonly transcript: Resource<Transcript>;
  readonly activeId: string | null;
  readonly canWrite: boolean;
  readonly scroll: Scroll;
  readonly actions: TurnActions;
  readonly request: SendRequest;
  readonly onAsk: (question: string) => void;
  /** Moves a question that failed before it was stored back into the text field. */
  readonly onTakeBack: () => void;
  /** Message to show if the conversation or its messages cannot be loaded. */
  readonly failure: ComponentChildren;
  /** Message to scroll to; null if none is sought. */
  readonly soughtId: string | null;
  readonly onFound: () => void;
}) {
  const live = replyHead(id).value;
  const reply = live?.parentId === null ? live : null;
  const messages = transcript.value?.messages ?? [];
  const main = useMemo(() => mainLine(messages), [transcript.value]);
  const counts = useMemo(() => countReplies(messages), [transcript.value]);
  const turns = useTurns(main, activeId, reply);
  const groups = useMemo(() => groupAlerts(turns), [turns]);
  const parts = useParts(groups);
  const olderCursor = transcript.value?.olderCursor ?? null;
  useWholeBranch(id, messages, activeId, turns, olderCursor);
  useWholeGroup(id, groups[0]?.length ?? 0, olderCursor);
  useEffect(() => {
    if (soughtId && transcript.value && seek(id, soughtId, transcript.value, turns, scroll)) onFound();
  }, [soughtId, transcript.value, turns]);
  useFollowText(scroll);
  const loadEarlier = async (cursor: string) => {
    const older = await findOlder(id, cursor);
    holdPosition(scroll);
    if (older) addOlder(id, older);
  };
  return (
    <div class="transcript" ref={scroll.area} onScroll={() => readPosition(scroll)}>
      <div
        class="transcript-inner"
        role="log"
        aria-live="off"
        aria-busy={live?.state === "running"}
        aria-label={t("Messages")}
      >
        {transcript.value === null && transcript.error === null && !reply && <Skeleton lines={6} />}
        {failure}
        {olderCursor && <EarlierMessages key={olderCursor} load={() => loadEarlier(olderCursor)} />}
        {parts.map(({ key, ...part }, index) => (
          <Turns
            key={key}
            {...part}
            hasEarlier={index === 0 && olderCursor !== null}
            counts={counts}
            canWrite={canWrite}
            actions={actions}
          />
        ))}
        {canWrite && !reply && <FollowUps turn={turns.at(-1)} onAsk={onAsk} />}
        {reply && (
          <RunningReply
            conversationId={id}
            isStored={isStored(main, reply)}
            onOpenCitation={actions.openCitation}
            request={request}
            onTakeBack={onTakeBack}
          />
        )}
      </div>
    </div>
  );
}

/** Messages of a part of the shown branch. They are drawn again only when one of them has changed. */
const Turns = memo(function Turns({
  groups,
  days,
  hasEarlier,
  counts,
  canWrite,
  actions,
}: {
  readonly groups: readonly (readonly BranchTurn[])[];
  /** Days to show above the groups; null above those that are not the first of their day. */
  readonly days: readonly (string | null)[];
  /** True if messages before the first group are not loaded. */
  readonly hasEarlier: boolean;
  /** Numbers of replies in threads, by message id. */
  readonly counts: ReadonlyMap<string, number>;
  readonly canWrite: boolean;
  readonly actions: TurnActions;
}) {
  const renderTurn = ({ message, versions }: BranchTurn, day: string | null) => (
    <TurnView
      key={versions[0]?.message_id}
      message={message}
      versions={versions}
      day={day}
      canWrite={canWrite}
      replyCount={counts.get(message.message_id) ?? 0}
      actions={actions}
    />
  );
  return (
    <div class="turns">
      {groups.map((group, position) => {
        const day = days[position] ?? null;
        return group.length > 1 ? (
          <AlertGroupView
            key={group[0]?.message.message_id}
            turns={group}
            hasEarlier={hasEarlier && position === 0}
            renderTurn={(turn, index) => renderTurn(turn, index === 0 ? day : null)}
          />
        ) : (
          group.map((turn) => renderTurn(turn, day))
        );
      })}
    </div>
  );
});

/** Number of messages or groups of alerts that the browser lays out together. It skips those that are out of sight. */
const PART_SIZE = 20;

/** Returns the parts of a transcript. Their boundaries stay when messages are added at its start or end. */
function useParts(groups: readonly (readonly BranchTurn[])[]) {
  const anchor = useRef("");
  return useMemo(() => {
    const idOf = (group: readonly BranchTurn[] | undefined) => group?.[0]?.versions[0]?.message_id ?? "";
    const found = groups.findIndex((group) => idOf(group) === anchor.current);
    const start = Math.max(0, found);
    anchor.current = idOf(groups[start]);
    const days = daysOf(groups);
    const positions = Map.groupBy(groups.keys(), (index) => Math.floor((index - start) / PART_SIZE));
    return [...positions].map(([key, indexes]) => ({
      key,
      groups: indexes.flatMap((index) => [groups[index] ?? []]),
      days: indexes.map((index) => days[index] ?? null),
    }));
  }, [groups]);
}

/** Returns the turns of the shown branch. Those that have not changed remain the same objects. */
function useTurns(main: readonly Message[], activeId: string | null, reply: ReplyHead | null): readonly BranchTurn[] {
  const latest = useRef<ReadonlyMap<string, BranchTurn>>(new Map());
  return useMemo(() => {
    const turns = toTurns(main, activeId, reply).map((turn) => {
      const before = latest.current.get(turn.message.message_id);
      return before && isSame([before.message, before.versions], [turn.message, turn.versions]) ? before : turn;
    });
    latest.current = new Map(turns.map((turn) => [turn.message.message_id, turn]));
    return turns;
  }, [main, activeId, reply?.messageId, reply?.request]);
}

/** Scrolls to a message. Returns false if it must be loaded or shown first, which is then begun. */
function seek(
  id: string,
  soughtId: string,
  { messages, olderCursor }: Transcript,
  turns: readonly BranchTurn[],
  { follows }: Scroll,
): boolean {
  const sought = messages.find(({ message_id }) => message_id === soughtId);
  if (!sought) {
    if (olderCursor) void loadOlder(id, olderCursor);
    return false;
  }
  if (sought.parent_id === null && !turns.some(({ message }) => message === sought)) {
    // The message is on another branch. Only the reader's view changes.
    setActiveMessage(id, findLeaf(mainLine(messages), soughtId));
    return false;
  }
  follows.current = false;
  const element = document.getElementById(soughtId);
  element?.scrollIntoView({ block: "center" });
  element?.focus({ preventScroll: true });
  return element !== null;
}

const isStored = (messages: readonly Message[], reply: ReplyHead) =>
  messages.some(({ message_id }) => message_id === reply.messageId);

function countReplies(messages: readonly Message[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { parent_id } of messages) if (parent_id) counts.set(parent_id, (counts.get(parent_id) ?? 0) + 1);
  return counts;
}

/** Loads earlier messages until those are known from which the shown branch starts. */
function useWholeBranch(
  id: string,
  messages: readonly Message[],
  activeId: string | null,
  turns: readonly BranchTurn[],
  olderCursor: string | null,
): void {
  const oldestId = messages[0]?.message_id ?? "";
  const isCut = useMemo(
    () => [activeId, ...turns.map(({ message }) => originOf(message))].some((origin) => origin && origin < oldestId),
    [activeId, turns, oldestId],
  );
  useEffect(() => {
    if (olderCursor && isCut) void loadOlder(id, olderCursor);
  }, [id, olderCursor, isCut]);
}

/** Number of equal alerts up to which all are loaded, so that their number is exact. */
const MAX_COUNTED_ALERTS = 1_000;

/** Loads earlier messages until the first group of equal alerts is complete. */
function useWholeGroup(id: string, firstGroupSize: number, olderCursor: string | null): void {
  const isCut = firstGroupSize > 1 && firstGroupSize < MAX_COUNTED_ALERTS;
  useEffect(() => {
    if (olderCursor && isCut) void loadOlder(id, olderCursor);
  }, [id, olderCursor, isCut]);
}

/** Button that loads earlier messages. It also loads them when the reader scrolls up to it. */
function EarlierMessages({ load }: { readonly load: () => Promise<void> }) {
  const ref = useRef<HTMLDivElement>(null);
  const [isLoading, setLoading] = useState(false);
  const show = () => {
    setLoading(true);
    void load().finally(() => setLoading(false));
  };
  useEffect(() => {
    const button = ref.current;
    const area = button?.closest(".transcript");
    if (!button || !area) return;
    // Only when the reader scrolls: a conversation opens at its end.
    const look = () => {
      if (area.scrollTop > button.offsetTop + button.offsetHeight) return;
      area.removeEventListener("scroll", look);
      show();
    };
    area.addEventListener("scroll", look);
    return () => area.removeEventListener("scroll", look);
  }, []);
  return (
    <div ref={ref}>
      <Button isSmall kind="quiet" disabled={isLoading} onClick={show}>
        {isLoading ? t("Loading") : t("Show earlier messages")}
      </Button>
    </div>
  );
}

/** Buttons with the questions that the latest answer suggests. */
function FollowUps({
  turn,
  onAsk,
}: {
  readonly turn: BranchTurn | undefined;
  readonly onAsk: (question: string) => void;
}) {
  const questions =
    turn?.message.content.flatMap((block) => (block.type === "follow_ups" ? block.questions : [])) ?? [];
  if (questions.length === 0) return null;
  return (
    <div class="follow-ups" role="group" aria-label={t("Further questions")}>
      {questions.map((question) => (
        <button key={question} type="button" class="prompt" dir="auto" onClick={() => onAsk(question)}>
          {question}
        </button>
      ))}
    </div>
  );
}

/** Returns the days of the groups that are the first of their day, and null for all others. */
function daysOf(groups: readonly (readonly BranchTurn[])[]): (string | null)[] {
  const dayOf = (turn: BranchTurn | undefined) => turn && new Date(turn.message.created_at).setHours(0, 0, 0, 0);
  return groups.map((group, index) => {
    const [first] = group;
    const isFirst = dayOf(first) !== dayOf(groups[index - 1]?.at(-1));
    return first && isFirst ? formatDay(first.message.created_at) : null;
  });
}

/** Returns the id of the earlier message at which a message starts a new branch; undefined if it continues its branch. */
function originOf({ replaces_id, after_id, regenerated, question_id }: Message): string | undefined {
  return replaces_id ?? after_id ?? (regenerated && question_id);
}

/** Loads the messages before a cursor. Shows the error and returns null if that fails. */
async function findOlder(id: string, cursor: string): Promise<Transcript | null> {
  try {
    return await loadMessages(id, cursor);
  } catch (error) {
    showError(error);
    return null;
  }
}

/** Adds earlier messages in front of those that are loaded. */
function addOlder(id: string, older: Transcript): void {
  updateResource<Transcript>(messagesKey(id), ({ messages }) => ({
    messages: [...older.messages, ...messages],
    olderCursor: older.olderCursor,
  }));
}

async function loadOlder(id: string, cursor: string): Promise<void> {
  const older = await findOlder(id, cursor);
  if (older) addOlder(id, older);
}
