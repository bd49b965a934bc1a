import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Message } from "../../../../shared/api/conversations/messages.ts";
import type { Tier } from "../../../../shared/api/tiers.ts";
import { findLeaf } from "../../../../shared/client/branch.ts";
import type { ChatRequest } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { t, tn } from "../lib/i18n.ts";
import { ResourceStatus } from "../ui/status.tsx";
import type { OpenCitation } from "./blocks.tsx";
import { Composer } from "./composer.tsx";
import { LiveReplyView } from "./live-reply.tsx";
import { dismissReply, type LiveReply, loadReplies, repliesKey, sendMessage, stop } from "./run.ts";
import { SidePanel } from "./side-panel.tsx";
import { retryOf, TurnView, toTurns, unsentQuestion } from "./turns.tsx";

/** Panel of a thread: its message, the replies, and a field for the next one. */
export function ThreadPanel({
  conversationId,
  parentId,
  root,
  canWrite,
  tier,
  live,
  onOpenCitation,
  onClose,
}: {
  readonly conversationId: string;
  readonly parentId: string;
  /** Message that the thread belongs to; null if it is not among the loaded ones. */
  readonly root: Message | null;
  readonly canWrite: boolean;
  readonly tier: Tier;
  /** Reply that is being written in this conversation, in this thread or elsewhere; null if there is none. */
  readonly live: LiveReply | null;
  readonly onOpenCitation: OpenCitation;
  readonly onClose: () => void;
}) {
  const replies = useResource(repliesKey(conversationId, parentId), () => loadReplies(conversationId, parentId));
  const [text, setText] = useState("");
  // The service stores the branch of the main line only.
  const [activeId, setActiveId] = useState<string | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const reply = live?.parentId === parentId ? live : null;
  const isRunning = live?.state === "running";
  const messages = replies.value ?? [];
  const turns = toTurns(messages, activeId, reply);
  const isReplyStored = messages.some(({ message_id }) => message_id === reply?.messageId);
  useLayoutEffect(() => {
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [turns.length, reply?.text]);
  const request = (body: Omit<ChatRequest, "conversation_id">) => {
    setActiveId(null);
    void sendMessage({ tier, ...body, conversation_id: conversationId }, parentId);
  };
  const submit = () => {
    setText("");
    request({ content: text, ...(activeId && { after_message_id: activeId }) });
  };
  const unsent = reply && unsentQuestion(reply);
  const takeBack = () => {
    dismissReply(conversationId);
    setText([unsent, text].filter(Boolean).join("\n\n"));
  };
  const choose = (messageId: string) => {
    dismissReply(conversationId);
    setActiveId(findLeaf(messages, messageId));
  };
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
              turn={{ message: root, versions: [root] }}
              canWrite={false}
              onOpenCitation={onOpenCitation}
              onChoose={null}
              onRegenerate={null}
              onEdit={null}
            />
          </div>
        )}
        <ResourceStatus resource={replies} />
        {turns.map((turn) => (
          <TurnView
            key={turn.versions[0]?.message_id}
            turn={turn}
            canWrite={canWrite}
            onOpenCitation={onOpenCitation}
            onChoose={isRunning ? null : choose}
            onRegenerate={canWrite && !isRunning ? (regenerate_message_id) => request({ regenerate_message_id }) : null}
            onEdit={canWrite && !isRunning ? (edit_message_id, content) => request({ content, edit_message_id }) : null}
          />
        ))}
        {reply && (
          <LiveReplyView
            reply={reply}
            showsQuestion={!isReplyStored}
            onOpenCitation={onOpenCitation}
            onRetry={retryOf(reply, isReplyStored, request)}
            onEdit={unsent === null ? null : takeBack}
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
            onSend={submit}
          />
        </div>
      )}
    </SidePanel>
  );
}
