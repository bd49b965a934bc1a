import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import type { Message } from "../../../../shared/api/conversations/messages.ts";
import type { Tier } from "../../../../shared/api/tiers.ts";
import { findLeaf } from "../../../../shared/client/branch.ts";
import { useResource } from "../lib/data.ts";
import { putBefore } from "../lib/drafts.ts";
import { t, tn } from "../lib/i18n.ts";
import { useActions } from "../lib/memo.ts";
import { ResourceStatus } from "../ui/status.tsx";
import type { OpenCitation } from "./blocks.tsx";
import { Composer } from "./composer/composer.tsx";
import { dismissReply, loadReplies, repliesKey, replyHead, sendMessage, stop } from "./run.ts";
import { SidePanel } from "./side-panel.tsx";
import { type SendRequest, toTurns, unsentQuestion } from "./transcript/branch-turns.ts";
import { RunningReply } from "./transcript/live-reply.tsx";
import { readPosition, useFollowText, useScroll } from "./transcript/scroll.ts";
import { TurnView } from "./transcript/turn-view.tsx";

/** Panel of a thread: its message, the replies, and a field for the next one. */
export function ThreadPanel({
  conversationId,
  parentId,
  root,
  canWrite,
  tier,
  onOpenCitation,
  onClose,
}: {
  readonly conversationId: string;
  readonly parentId: string;
  /** Message that the thread belongs to; null if it is not among the loaded ones. */
  readonly root: Message | null;
  readonly canWrite: boolean;
  readonly tier: Tier;
  readonly onOpenCitation: OpenCitation;
  readonly onClose: () => void;
}) {
  const replies = useResource(repliesKey(conversationId, parentId), () => loadReplies(conversationId, parentId));
  const draft = useSignal("");
  // The service stores the branch of the main line only.
  const [activeId, setActiveId] = useState<string | null>(null);
  const scroll = useScroll();
  useFollowText(scroll);
  // Reply in this thread or elsewhere in the conversation.
  const live = replyHead(conversationId).value;
  const reply = live?.parentId === parentId ? live : null;
  const isRunning = live?.state === "running";
  const messages = replies.value ?? [];
  const turns = toTurns(messages, activeId, reply);
  const request: SendRequest = (body) => {
    setActiveId(null);
    scroll.follows.current = true;
    void sendMessage({ tier, ...body, conversation_id: conversationId }, parentId);
  };
  const submit = () => {
    const content = draft.peek();
    draft.value = "";
    request({ content, ...(activeId && { after_message_id: activeId }) });
  };
  const takeBack = () => {
    putBefore(draft, reply && unsentQuestion(reply));
    dismissReply(conversationId);
  };
  const own = useActions({
    openCitation: onOpenCitation,
    regenerate: (regenerate_message_id: string) => request({ regenerate_message_id }),
    edit: (edit_message_id: string, content: string) => request({ content, edit_message_id }),
    choose: (messageId: string) => {
      dismissReply(conversationId);
      setActiveId(findLeaf(messages, messageId));
    },
  });
  const actions = useMemo(() => ({ ...own, quote: null, openThread: null }), [own]);
  return (
    <SidePanel
      label={t("Thread")}
      title={t("Thread")}
      details={
        replies.value && <span class="small muted">{tn("{count} reply", "{count} replies", replies.value.length)}</span>
      }
      onClose={onClose}
    >
      <div class="side-scroll" ref={scroll.area} aria-busy={isRunning} onScroll={() => readPosition(scroll)}>
        <div class="thread">
          {root && (
            <div class="thread-root">
              <TurnView message={root} versions={[root]} canWrite={false} actions={actions} />
            </div>
          )}
          <ResourceStatus resource={replies} />
          {turns.map((turn) => (
            <TurnView key={turn.versions[0]?.message_id} {...turn} canWrite={canWrite} actions={actions} />
          ))}
          {reply && (
            <RunningReply
              conversationId={conversationId}
              isStored={messages.some(({ message_id }) => message_id === reply.messageId)}
              onOpenCitation={onOpenCitation}
              request={request}
              onTakeBack={takeBack}
            />
          )}
        </div>
      </div>
      {canWrite && (
        <div class="side-foot">
          <Composer
            label={t("Reply")}
            placeholder={t("Reply in this thread")}
            draft={draft}
            isRunning={isRunning}
            onStop={() => void stop(conversationId)}
            onSend={submit}
          />
        </div>
      )}
    </SidePanel>
  );
}
