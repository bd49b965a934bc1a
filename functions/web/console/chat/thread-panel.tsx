import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useResource } from "../lib/data.ts";
import { t, tn } from "../lib/i18n.ts";
import { ResourceStatus } from "../ui/controls.tsx";
import { Composer } from "./composer.tsx";
import { LiveReplyView } from "./live-reply.tsx";
import type { Message } from "./run.ts";
import { type Block, type Citation, dismissReply, type LiveReply, loadReplies, repliesKey, send, stop } from "./run.ts";
import type { Tier } from "./selectors.tsx";
import { SidePanel } from "./side-panel.tsx";
import { TurnView, toTurns } from "./turns.tsx";

/** Panel with a message, the replies in its thread, and a field for the next one. */
export function ThreadPanel({
  conversationId,
  parentId,
  root,
  canWrite,
  tier,
  live,
  openCitation,
  onClose,
}: {
  readonly conversationId: string;
  readonly parentId: string;
  /** Message that the thread belongs to; null if it is not loaded. */
  readonly root: Message | null;
  readonly canWrite: boolean;
  readonly tier: Tier;
  /** Reply of the conversation that is being written, in this thread or elsewhere. */
  readonly live: LiveReply | null;
  readonly openCitation: (blocks: readonly Block[]) => (citation: Citation) => void;
  readonly onClose: () => void;
}) {
  const replies = useResource(repliesKey(conversationId, parentId), () => loadReplies(conversationId, parentId));
  const [text, setText] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const reply = live?.parentId === parentId ? live : null;
  const isRunning = live?.state === "running";
  const shown = (replies.value ?? []).filter(
    ({ message_id, status }) => message_id !== reply?.messageId && status !== "streaming",
  );
  const turns = toTurns(shown);
  useLayoutEffect(() => {
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [shown.length, reply?.text]);
  const submit = (content: string) => {
    setText("");
    void send({ conversation_id: conversationId, content, tier }, parentId);
  };
  const regenerate = (messageId: string) =>
    void send({ conversation_id: conversationId, regenerate_message_id: messageId, tier }, parentId);
  return (
    <SidePanel
      label={t("Thread")}
      title={t("Thread")}
      details={
        replies.value && <span class="small muted">{tn("{count} reply", "{count} replies", replies.value.length)}</span>
      }
      onClose={onClose}
    >
      <div class="side-scroll thread" ref={scroller}>
        {root && (
          <div class="thread-root">
            <TurnView
              turn={[root]}
              isHidden={false}
              canWrite={false}
              onOpenCitation={openCitation}
              onRegenerate={null}
              answerId={null}
            />
          </div>
        )}
        <ResourceStatus resource={replies} />
        {turns.map((turn, index) => (
          <TurnView
            key={turn[0]?.message_id}
            turn={turn}
            isHidden={turn.at(-1)?.message_id === reply?.regenerates}
            canWrite={canWrite}
            onOpenCitation={openCitation}
            onRegenerate={canWrite && !isRunning && index >= turns.length - 2 ? regenerate : null}
            answerId={turns[index + 1]?.at(-1)?.message_id ?? null}
          />
        ))}
        {reply && (
          <LiveReplyView
            reply={reply}
            showsQuestion={shown.at(-1)?.role !== "user"}
            onOpenCitation={openCitation(reply.blocks ?? [])}
            onRetry={
              reply.question === null
                ? null
                : () => {
                    dismissReply(conversationId);
                    submit(reply.question ?? "");
                  }
            }
            conversationId={conversationId}
          />
        )}
      </div>
      {canWrite && (
        <div class="side-foot">
          <Composer
            label={t("Reply")}
            placeholder={t("Reply in this thread")}
            value={text}
            onValue={setText}
            isRunning={isRunning}
            onStop={() => void stop(conversationId)}
            onSend={() => submit(text)}
          />
        </div>
      )}
    </SidePanel>
  );
}
