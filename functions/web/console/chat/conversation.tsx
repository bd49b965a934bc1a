import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { isProblem } from "../../../../shared/client/index.ts";
import { invalidate, updateResource, useResource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button, Empty, Failure, IconButton, Menu, Skeleton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { useTitle } from "../ui/layout.tsx";
import { CitationPanel } from "./citation-panel.tsx";
import { Composer } from "./composer.tsx";
import { LiveReplyView } from "./live-reply.tsx";
import {
  type Block,
  type Citation,
  dismissReply,
  liveReply,
  loadMessages,
  messagesKey,
  resume,
  send,
  stop,
  type Transcript,
} from "./run.ts";
import { PersonaMenu, type Tier, TierMenu } from "./selectors.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { ThreadPanel } from "./thread-panel.tsx";
import { TurnView, toTurns } from "./turns.tsx";

/** Distance from the end of the transcript, in pixels, within which it scrolls along with new text. */
const FOLLOW_DISTANCE = 120;

/** One conversation: its messages, the reply that is being written, and the field for the next message. */
export function Conversation({ id }: { readonly id: string }) {
  const conversation = useResource(`conversation:${id}`, () =>
    api.GET("/v1/conversations/{id}", { params: { path: { id } } }),
  );
  const transcript = useResource(messagesKey(id), () => loadMessages(id));
  const { path, query, route } = useLocation();
  const live = liveReply(id).value;
  const reply = live?.parentId === null ? live : null;
  const threadId = query.thread ?? null;
  const [text, setText] = useState("");
  const [tier, setTier] = useState<Tier | null>(null);
  const [citation, setCitation] = useState<{ readonly citation: Citation; readonly claim: string | null } | null>(null);
  const [isSharing, setSharing] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const details = conversation.value;
  useTitle(details?.title ?? t("Chat"));
  const messages = transcript.value?.messages ?? [];
  const streaming = messages.find(({ status }) => status === "streaming");
  useEffect(() => {
    if (streaming) resume(id, streaming);
  }, [id, streaming?.message_id]);
  const threads = useMemo(() => Map.groupBy(messages, ({ parent_id }) => parent_id), [transcript.value]);
  const shown = messages.filter(
    ({ message_id, parent_id, status }) =>
      parent_id === null && message_id !== reply?.messageId && status !== "streaming",
  );
  const turns = useMemo(() => toTurns(shown), [shown.length, transcript.value, reply?.messageId]);
  // The question is shown at once, and replaced by the stored question when that arrives.
  const isQuestionStored = shown.at(-1)?.role === "user" && reply?.question !== null;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight;
  });
  if (isProblem(conversation.error, "not_found")) {
    return (
      <main class="conversation">
        <Empty isPage icon="chat" title={t("This conversation does not exist")}>
          {t("It was deleted, or it is not shared with you.")}
        </Empty>
      </main>
    );
  }
  const canWrite = details !== null && details.access !== "READ";
  const isOwner = details?.access === "owner";
  const isRunning = live?.state === "running";
  const currentTier = tier ?? details?.tier ?? "THINKING";
  const submit = (content: string) => {
    isAtEnd.current = true;
    setText("");
    void send({ conversation_id: id, content, tier: currentTier });
  };
  const regenerate = (messageId: string) => {
    isAtEnd.current = true;
    void send({ conversation_id: id, regenerate_message_id: messageId, tier: currentTier });
  };
  const openThread = (messageId: string | null) => {
    setCitation(null);
    route(messageId ? `${path}?thread=${messageId}` : path, true);
  };
  const thread = {
    countOf: (messageId: string) => threads.get(messageId)?.length ?? 0,
    open: openThread,
  };
  const openCitation = (blocks: readonly Block[]) => (next: Citation) => {
    const body = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    const line = body.split("\n").find((each) => each.includes(`[${next.index}]`));
    setCitation({
      citation: next,
      claim: line
        ? line
            .replace(/\[\d+\]/g, "")
            .replace(/^[>\-*\s]+/, "")
            .trim()
        : null,
    });
  };
  return (
    <main class={`conversation ${citation || threadId ? "with-side" : ""}`}>
      <div class="conversation-main">
        <div class="conversation-head">
          <a class="icon-button only-narrow" href="/console/chat" aria-label={t("All conversations")}>
            <Icon name="back" />
          </a>
          <h1 class="truncate grow">{details?.title ?? ""}</h1>
          {details && !isOwner && <span class="badge">{canWrite ? t("Shared with you") : t("Read only")}</span>}
          {isOwner && (
            <>
              <IconButton icon="share" label={t("Share")} onClick={() => setSharing(true)} />
              <Menu
                label={t("Export")}
                icon="download"
                entries={(["markdown", "json"] as const).map((format) => ({
                  label: format === "json" ? "JSON" : "Markdown",
                  icon: "document",
                  onSelect: () => void exportConversation(id, details?.title ?? "conversation", format),
                }))}
              />
            </>
          )}
        </div>
        <div
          class="transcript"
          ref={scroller}
          onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
            isAtEnd.current = scrollHeight - scrollTop - clientHeight < FOLLOW_DISTANCE;
          }}
        >
          <div class="transcript-inner" role="log" aria-live="off" aria-busy={isRunning} aria-label={t("Messages")}>
            {transcript.value === null && transcript.error === null && !reply && <Skeleton lines={6} />}
            {transcript.error !== null && transcript.value === null && (
              <Failure error={transcript.error} onRetry={transcript.reload} />
            )}
            {transcript.value?.olderCursor && (
              <Button isSmall kind="quiet" onClick={() => loadOlder(id, transcript.value?.olderCursor ?? "")}>
                {t("Show earlier messages")}
              </Button>
            )}
            {turns.map((turn, index) => (
              <TurnView
                key={turn[0]?.message_id}
                turn={turn}
                isHidden={turn.at(-1)?.message_id === reply?.regenerates}
                canWrite={canWrite}
                onOpenCitation={openCitation}
                onRegenerate={canWrite && !isRunning && index >= turns.length - 2 ? regenerate : null}
                answerId={turns[index + 1]?.at(-1)?.message_id ?? null}
                thread={thread}
              />
            ))}
            {reply && (
              <LiveReplyView
                reply={reply}
                showsQuestion={!isQuestionStored}
                onOpenCitation={openCitation(reply.blocks ?? [])}
                onRetry={
                  reply.question === null
                    ? null
                    : () => {
                        const { question } = reply;
                        dismissReply(id);
                        if (question) submit(question);
                      }
                }
                conversationId={id}
              />
            )}
          </div>
        </div>
        <div class="conversation-foot">
          <Composer
            value={text}
            onValue={setText}
            isRunning={isRunning}
            isDisabled={details !== null && !canWrite}
            onStop={() => void stop(id)}
            onSend={() => submit(text)}
          >
            {isOwner && (
              <PersonaMenu value={details?.persona_id ?? null} onValue={(persona) => void changePersona(id, persona)} />
            )}
            <TierMenu value={currentTier} onValue={setTier} />
          </Composer>
          <p class="composer-hint">{t("Answers can be wrong. Check the sources.")}</p>
        </div>
      </div>
      {threadId && !citation && (
        <ThreadPanel
          key={threadId}
          conversationId={id}
          root={messages.find(({ message_id }) => message_id === threadId) ?? null}
          parentId={threadId}
          canWrite={canWrite}
          tier={currentTier}
          live={live}
          openCitation={openCitation}
          onClose={() => openThread(null)}
        />
      )}
      {citation && (
        <CitationPanel
          key={citation.citation.source_id}
          citation={citation.citation}
          claim={citation.claim}
          onClose={() => setCitation(null)}
        />
      )}
      {isSharing && <ShareDialog conversationId={id} onClose={() => setSharing(false)} />}
    </main>
  );
}

async function loadOlder(id: string, cursor: string): Promise<void> {
  try {
    const older = await loadMessages(id, cursor);
    updateResource<Transcript>(messagesKey(id), ({ messages }) => ({
      messages: [...older.messages, ...messages],
      olderCursor: older.olderCursor,
    }));
  } catch (error) {
    showError(error);
  }
}

async function changePersona(id: string, personaId: string | null): Promise<void> {
  try {
    await api.PATCH("/v1/conversations/{id}", { params: { path: { id } }, body: { persona_id: personaId } });
    invalidate(`conversation:${id}`);
  } catch (error) {
    showError(error);
  }
}

/** Saves a file through the browser. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function exportConversation(id: string, title: string, format: "json" | "markdown"): Promise<void> {
  try {
    const response = await api.fetch(`/v1/conversations/${id}/export`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: format === "json" ? "application/json" : "text/markdown" },
      body: JSON.stringify({ format }),
    });
    if (response.status === 202) {
      const accepted = await response.json();
      showToast(
        "approval" in accepted
          ? t("The export needs an approval. Its state is shown in Approvals.")
          : t("The export is being prepared. Find it in Exports and deletion."),
      );
      return;
    }
    const extension = format === "json" ? "json" : "md";
    saveFile(`${title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60)}.${extension}`, await response.blob());
  } catch (error) {
    showError(error);
  }
}
