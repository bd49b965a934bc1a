import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Message } from "../../../../shared/api/conversations/messages.ts";
import type { Tier } from "../../../../shared/api/tiers.ts";
import { findLeaf } from "../../../../shared/client/branch.ts";
import { isProblem } from "../../../../shared/client/index.ts";
import { conversationTitleOf } from "../lib/conversation-title.ts";
import { useResource } from "../lib/data.ts";
import { draftOf, putBefore, useModelChoice } from "../lib/drafts.ts";
import { t } from "../lib/i18n.ts";
import { useActions } from "../lib/memo.ts";
import { showError } from "../lib/toast.ts";
import { markSeen } from "../lib/unread.ts";
import { api, receptor } from "../session/session.ts";
import { useTitle } from "../ui/layout.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { Empty, FailureMessage } from "../ui/status.tsx";
import { takeParts } from "./composer/take-parts.ts";
import { type ConversationDetails, changeConversation } from "./conversation-details.ts";
import { ConversationFoot } from "./conversation-foot.tsx";
import { ConversationHead } from "./conversation-head.tsx";
import { shownPreview } from "./diagrams/preview.ts";
import { addDocuments } from "./documents/pending-documents.ts";
import { addFiles, restoreFiles, uploadFiles } from "./files/pending-files.ts";
import { useFileDrop } from "./files/use-file-drop.ts";
import { useFollowConversation } from "./follow-conversation.ts";
import {
  type Citation,
  dismissReply,
  isAnswering,
  liveReply,
  loadMessages,
  messagesKey,
  resume,
  sendMessage,
  setActiveMessage,
} from "./run.ts";
import { mainLine, type SendRequest, unsentQuestion } from "./transcript/branch-turns.ts";
import { type Scroll, useScroll } from "./transcript/scroll.ts";
import { TranscriptView } from "./transcript/transcript.tsx";

const CitationPanel = onDemand(() => import("./citation-panel.tsx").then((module) => module.CitationPanel));
const PreviewPanel = onDemand(() => import("./diagrams/preview-panel.tsx").then((module) => module.PreviewPanel));
const ShareDialog = onDemand(() => import("./dialogs/share-dialog.tsx").then((module) => module.ShareDialog));
const ThreadPanel = onDemand(() => import("./thread-panel.tsx").then((module) => module.ThreadPanel));

const noMessages: readonly Message[] = [];

/** A conversation: its messages, the reply that is being written, and the field for the next message. */
export function ConversationView({ id }: { readonly id: string }) {
  const conversation = useResource(`conversation:${id}`, () =>
    api.GET("/v1/conversations/{id}", { params: { path: { id } } }),
  );
  const transcript = useResource(messagesKey(id), () => loadMessages(id));
  const details = conversation.value;
  const messages = transcript.value?.messages ?? noMessages;
  useFollowConversation(id, details?.last_activity_at ?? null);
  useTitle(details ? conversationTitleOf(details) : t("Chat"));
  useMarkSeen(id, details?.last_activity_at);
  useResume(id, messages);
  const { path, query, route } = useLocation();
  const threadId = query.thread ?? null;
  const userId = receptor.value?.user.user_id ?? "";
  const draft = draftOf(userId, id);
  const [tier, setTier] = useState<Tier | null>(null);
  const [model, setModel] = useModelChoice(userId, id);
  const [citation, setCitation] = useState<Citation | null>(null);
  const [isSharing, setSharing] = useState(false);
  const hasPreview = shownPreview.value !== null;
  useEffect(
    () => () => {
      shownPreview.value = null;
    },
    [id],
  );
  const scroll = useScroll();
  const currentTier = tier ?? details?.tier ?? "THINKING";
  const canWrite = details !== null && details.access !== "READ";
  const { choose, chosen } = useBranchChoice(id, details, messages, scroll);
  const openThread = (messageId: string | null) => {
    shownPreview.value = null;
    setCitation(null);
    route(messageId ? `${path}?thread=${messageId}` : path, true);
  };
  const request: SendRequest = (body, parts = {}) => {
    scroll.follows.current = true;
    void chosen().then(() =>
      sendMessage({ tier: currentTier, ...(model && { model }), ...body, conversation_id: id }, null, parts),
    );
  };
  const ask = (content: string, isQueued = false) => {
    const { names, parts } = isQueued ? { names: {}, parts: {} } : takeParts(id);
    const after = details?.active_message_id;
    request({ content, ...names, ...(after && { after_message_id: after }) }, parts);
  };
  const actions = useActions({
    choose,
    openThread,
    openCitation: (next: Citation) => {
      shownPreview.value = null;
      setCitation(next);
    },
    quote: (passage: string) => quote(draft, passage),
    regenerate: (regenerate_message_id: string) => request({ regenerate_message_id }),
    edit: (edit_message_id: string, content: string) => request({ content, edit_message_id }),
  });
  const attach = (files: readonly File[]) => {
    if (details?.access === "READ") return;
    addFiles(id, files);
    void uploadFiles(id);
  };
  const drop = useFileDrop(attach);
  if (isProblem(conversation.error, "not_found")) return <MissingConversation />;
  const error = (transcript.value === null && transcript.error) || (!details && conversation.error);
  const reloadBoth = () => {
    transcript.reload();
    conversation.reload();
  };
  return (
    <main class={`conversation ${citation || threadId || hasPreview ? "with-side" : ""}`}>
      <div class={`conversation-main ${drop.isOver ? "dropping" : ""}`} {...drop.handlers}>
        <ConversationHead details={details} onShare={() => setSharing(true)} />
        <TranscriptView
          id={id}
          transcript={transcript}
          activeId={details?.active_message_id ?? null}
          canWrite={canWrite}
          scroll={scroll}
          actions={actions}
          request={request}
          onAsk={ask}
          onTakeBack={() => takeBack(id, draft)}
          soughtId={query.message ?? null}
          onFound={() => route(threadId ? `${path}?thread=${threadId}` : path, true)}
          failure={error ? <FailureMessage error={error} onRetry={reloadBoth} /> : null}
        />
        <ConversationFoot
          id={id}
          details={details}
          hasFailed={conversation.error !== null}
          draft={draft}
          tier={currentTier}
          onTier={(next) => {
            setTier(next);
            // The choice of other people lasts until the page is loaded again.
            if (details?.access === "owner") void changeConversation(id, { tier: next });
          }}
          model={model}
          onModel={setModel}
          scroll={scroll}
          onAsk={ask}
          onFiles={attach}
        />
      </div>
      {hasPreview && <PreviewPanel />}
      {threadId && !citation && !hasPreview && (
        <ThreadPanel
          key={threadId}
          conversationId={id}
          root={messages.find(({ message_id }) => message_id === threadId) ?? null}
          parentId={threadId}
          canWrite={canWrite}
          tier={currentTier}
          onOpenCitation={actions.openCitation}
          onClose={() => openThread(null)}
        />
      )}
      {citation && !hasPreview && (
        <CitationPanel
          key={`${citation.source_id} ${citation.quote}`}
          citation={citation}
          onClose={() => setCitation(null)}
        />
      )}
      {isSharing && <ShareDialog conversationId={id} onClose={() => setSharing(false)} />}
    </main>
  );
}

const MissingConversation = () => (
  <main class="conversation">
    <Empty isPage icon="chat" title={t("This conversation does not exist")}>
      {t("It was deleted, or it is not shared with you.")}
    </Empty>
  </main>
);

/** Adds a passage to the next question as a quote. */
function quote(draft: ReturnType<typeof draftOf>, passage: string): void {
  const lines = passage.trim().split("\n");
  const text = draft.peek();
  draft.value = `${text}${text && "\n\n"}${lines.map((line) => `> ${line}`).join("\n")}\n\n`;
  document.querySelector<HTMLElement>(".conversation-foot textarea")?.focus();
}

/** Moves a question that failed before it was stored back into the text field, with its files and documents. */
function takeBack(id: string, draft: ReturnType<typeof draftOf>): void {
  const reply = liveReply(id).peek();
  if (!reply) return;
  restoreFiles(id, reply.attachments);
  addDocuments(id, reply.documents);
  putBefore(draft, unsentQuestion(reply));
  dismissReply(id);
}

/** Marks the activity of a conversation as seen whenever the page is visible. */
function useMarkSeen(id: string, lastActivity: string | undefined): void {
  useEffect(() => {
    const look = () => {
      if (lastActivity && document.visibilityState === "visible") markSeen(id, lastActivity);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [id, lastActivity]);
}

/** Shows a reply that was already being written when the page was loaded. */
function useResume(id: string, messages: readonly Message[]): void {
  const streaming = messages.find(({ status }) => status === "streaming");
  useEffect(() => {
    if (streaming) resume(id, streaming);
  }, [id, streaming?.message_id]);
}

/** Returns a function that shows another branch, and one that waits until the choice is stored. */
function useBranchChoice(
  id: string,
  details: ConversationDetails | null,
  messages: readonly Message[],
  scroll: Scroll,
) {
  // Requests that store the chosen branch, one after the other, because a message ends the choice before it.
  const choices = useRef<Promise<unknown>>(Promise.resolve());
  const choose = (messageId: string) => {
    if (isAnswering(id)) return;
    const leaf = findLeaf(mainLine(messages), messageId);
    scroll.follows.current = false;
    dismissReply(id);
    setActiveMessage(id, leaf);
    if (details?.access !== "owner") return;
    const body = { active_message_id: leaf };
    choices.current = choices.current
      .then(() => api.PATCH("/v1/conversations/{id}", { params: { path: { id } }, body }))
      .catch(showError);
  };
  return { choose, chosen: () => choices.current };
}
