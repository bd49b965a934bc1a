import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Message } from "../../../../shared/api/conversations/messages.ts";
import type { Tier } from "../../../../shared/api/tiers.ts";
import { findLeaf } from "../../../../shared/client/branch.ts";
import { type ChatRequest, isProblem } from "../../../../shared/client/index.ts";
import { conversationTitleOf } from "../lib/conversation-title.ts";
import { invalidate, updateResource, useResource } from "../lib/data.ts";
import { useDraft, useModelChoice } from "../lib/drafts.ts";
import { formatDay } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { saveFile } from "../lib/save-file.ts";
import { showError, showToast } from "../lib/toast.ts";
import { markSeen } from "../lib/unread.ts";
import { api, receptor } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { useTitle } from "../ui/layout.tsx";
import { Menu } from "../ui/menu.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { Empty, FailureMessage, Skeleton } from "../ui/status.tsx";
import { AlertGroupView, groupAlerts } from "./alerts/alert-group.tsx";
import { Composer } from "./composer.tsx";
import { addDocuments } from "./documents/pending-documents.ts";
import { addFiles, restoreFiles, uploadFiles } from "./files/pending-files.ts";
import { useFileDrop } from "./files/use-file-drop.ts";
import { useFollowConversation } from "./follow-conversation.ts";
import { LiveReplyView } from "./live-reply.tsx";
import {
  type Citation,
  dismissReply,
  type LiveReply,
  liveReply,
  loadMessages,
  messagesKey,
  resume,
  sendMessage,
  setActiveMessage,
  stop,
  type Transcript,
} from "./run.ts";
import { ModelMenu, PersonaMenu, TierMenu } from "./selectors.tsx";
import { useSuggestions } from "./suggestions.ts";
import { takeParts } from "./take-parts.ts";
import { type BranchTurn, retryOf, TurnView, toTurns, unsentQuestion } from "./turns.tsx";

const CitationPanel = onDemand(() => import("./citation-panel.tsx").then((module) => module.CitationPanel));
const ShareDialog = onDemand(() => import("./dialogs/share-dialog.tsx").then((module) => module.ShareDialog));
const ThreadPanel = onDemand(() => import("./thread-panel.tsx").then((module) => module.ThreadPanel));

/** Distance in pixels from the end of the transcript within which the page scrolls along with new text. */
const FOLLOW_DISTANCE = 120;

/** A conversation: its messages, the reply that is being written, and the field for the next message. */
export function ConversationView({ id }: { readonly id: string }) {
  const conversation = useResource(`conversation:${id}`, () =>
    api.GET("/v1/conversations/{id}", { params: { path: { id } } }),
  );
  const transcript = useResource(messagesKey(id), () => loadMessages(id));
  useFollowConversation(id, conversation.value?.last_activity_at ?? null);
  const { path, query, route } = useLocation();
  const live = liveReply(id).value;
  const reply = live?.parentId === null ? live : null;
  const threadId = query.thread ?? null;
  const userId = receptor.value?.user.user_id ?? "";
  const [text, setText] = useDraft(userId, id);
  // Question that is sent when the answer that is being written has ended.
  const [queued, setQueued] = useState<string | null>(null);
  // True if the user sent the text before the conversation was loaded, whose depth and branch the request needs.
  const [isAwaited, setAwaited] = useState(false);
  const [isAway, setAway] = useState(false);
  const [tier, setTier] = useState<Tier | null>(null);
  const [model, setModel] = useModelChoice(userId, id);
  const [citation, setCitation] = useState<Citation | null>(null);
  const [isSharing, setSharing] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // Requests that store the chosen branch, one after the other, because a message ends the choice before it.
  const choices = useRef<Promise<unknown>>(Promise.resolve());
  const details = conversation.value;
  const title = details && conversationTitleOf(details);
  useTitle(title ?? t("Chat"));
  const lastActivity = details?.last_activity_at;
  useEffect(() => {
    const look = () => {
      if (lastActivity && document.visibilityState === "visible") markSeen(id, lastActivity);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [id, lastActivity]);
  const messages = transcript.value?.messages ?? [];
  const streaming = messages.find(({ status }) => status === "streaming");
  useEffect(() => {
    if (streaming) resume(id, streaming);
  }, [id, streaming?.message_id]);
  const threads = useMemo(() => Map.groupBy(messages, ({ parent_id }) => parent_id), [transcript.value]);
  const activeId = details?.active_message_id ?? null;
  const main = threads.get(null) ?? [];
  const turns = useMemo(
    () => toTurns(main, activeId, reply),
    [transcript.value, activeId, reply?.messageId, reply?.request],
  );
  const isReplyStored = main.some(({ message_id }) => message_id === reply?.messageId);
  const olderCursor = transcript.value?.olderCursor ?? null;
  const oldestId = messages[0]?.message_id ?? "";
  // The messages before a branch are known only when the message that it starts from is loaded.
  const isCut = [activeId, ...turns.map(({ message }) => originOf(message))].some(
    (origin) => origin && origin < oldestId,
  );
  useEffect(() => {
    if (olderCursor && isCut) void loadOlder(id, olderCursor);
  }, [id, olderCursor, isCut]);
  // Distance of the shown messages from the end, while earlier ones are loaded above them.
  const distance = useRef<number | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    else if (distance.current !== null) element.scrollTop = element.scrollHeight - distance.current;
    distance.current = null;
  });
  const loadEarlier = async (cursor: string) => {
    const older = await findOlder(id, cursor);
    const element = scroller.current;
    if (element) distance.current = element.scrollHeight - element.scrollTop;
    if (older) addOlder(id, older);
  };
  const loadError =
    transcript.value === null && transcript.error !== null ? transcript.error : !details && conversation.error;
  const isOwner = details?.access === "owner";
  const canWrite = details !== null && details.access !== "READ";
  const isRunning = live?.state === "running";
  const currentTier = tier ?? details?.tier ?? "THINKING";
  const request = (
    body: Omit<ChatRequest, "conversation_id">,
    parts: Partial<Pick<LiveReply, "attachments" | "documents">> = {},
  ) => {
    isAtEnd.current = true;
    void choices.current.then(() =>
      sendMessage({ tier: currentTier, ...(model && { model }), ...body, conversation_id: id }, null, parts),
    );
  };
  const ask = (content: string, { names, parts } = takeParts(id)) =>
    request({ content, ...names, ...(activeId && { after_message_id: activeId }) }, parts);
  const attach = (files: readonly File[]) => {
    if (details?.access === "READ") return;
    addFiles(id, files);
    void uploadFiles(id);
  };
  const drop = useFileDrop(attach);
  const suggest = useSuggestions(text, setText, isOwner ? (persona) => void changePersona(id, persona) : null, id);
  const lastState = useRef<LiveReply["state"] | null>(null);
  useEffect(() => {
    if (live) lastState.current = live.state;
    if (queued === null || live?.state === "running" || live?.state === "done") return;
    setQueued(null);
    // The files that were added since belong to the next question.
    if (lastState.current === "done" && canWrite) ask(queued, { names: {}, parts: { attachments: [], documents: [] } });
    // The question may rest on the answer that failed or was stopped.
    else setText([queued, text].filter(Boolean).join("\n\n"));
  }, [live, queued]);
  useEffect(() => {
    if (!isAwaited || (details === null && conversation.error === null)) return;
    setAwaited(false);
    if (canWrite && text.trim()) submit();
  }, [isAwaited, details === null, conversation.error]);
  const soughtId = query.message ?? null;
  const sought = messages.find(({ message_id }) => message_id === soughtId);
  const isSoughtShown = turns.some(({ message }) => message.message_id === soughtId);
  const isLoaded = transcript.value !== null;
  useEffect(() => {
    if (!soughtId || !isLoaded) return;
    if (!sought && olderCursor) void loadOlder(id, olderCursor);
    // The message is on another branch. Only the reader's view changes.
    else if (sought?.parent_id === null && !isSoughtShown) setActiveMessage(id, findLeaf(main, soughtId));
    else if (sought) {
      isAtEnd.current = false;
      const element = document.getElementById(soughtId);
      element?.scrollIntoView({ block: "center" });
      element?.focus({ preventScroll: true });
      if (element) route(threadId ? `${path}?thread=${threadId}` : path, true);
    }
  }, [soughtId, isLoaded, sought, isSoughtShown, olderCursor]);
  if (isProblem(conversation.error, "not_found")) {
    return (
      <main class="conversation">
        <Empty isPage icon="chat" title={t("This conversation does not exist")}>
          {t("It was deleted, or it is not shared with you.")}
        </Empty>
      </main>
    );
  }
  const submit = () => {
    if (details === null) return setAwaited(true);
    setText("");
    if (isRunning) setQueued([queued, text].filter(Boolean).join("\n\n"));
    else ask(text);
  };
  const quote = (passage: string) => {
    const lines = passage.trim().split("\n");
    setText(`${text}${text && "\n\n"}${lines.map((line) => `> ${line}`).join("\n")}\n\n`);
    document.querySelector<HTMLElement>(".conversation-foot textarea")?.focus();
  };
  const unsent = reply && unsentQuestion(reply);
  const takeBack = () => {
    if (reply) {
      restoreFiles(id, reply.attachments);
      addDocuments(id, reply.documents);
    }
    dismissReply(id);
    setText([unsent, text].filter(Boolean).join("\n\n"));
  };
  const changeTier = (next: Tier) => {
    setTier(next);
    // The choice of other people lasts until the page is loaded again.
    if (isOwner) void updateConversation(id, { tier: next });
  };
  const regenerate = (messageId: string) => request({ regenerate_message_id: messageId });
  const choose = (messageId: string) => {
    const leaf = findLeaf(main, messageId);
    isAtEnd.current = false;
    dismissReply(id);
    setActiveMessage(id, leaf);
    if (isOwner) {
      const body = { active_message_id: leaf };
      choices.current = choices.current
        .then(() => api.PATCH("/v1/conversations/{id}", { params: { path: { id } }, body }))
        .catch(showError);
    }
  };
  const openThread = (messageId: string | null) => {
    setCitation(null);
    route(messageId ? `${path}?thread=${messageId}` : path, true);
  };
  const thread = {
    countOf: (messageId: string) => threads.get(messageId)?.length ?? 0,
    open: openThread,
  };
  const groups = groupAlerts(turns);
  const renderTurn = (turn: BranchTurn, before: BranchTurn | undefined) => (
    <TurnView
      key={turn.versions[0]?.message_id}
      turn={turn}
      day={dayOf(turn, before)}
      onQuote={canWrite ? quote : null}
      canWrite={canWrite}
      onOpenCitation={setCitation}
      onChoose={isRunning ? null : choose}
      onRegenerate={canWrite && !isRunning ? regenerate : null}
      onEdit={canWrite && !isRunning ? (edit_message_id, content) => request({ content, edit_message_id }) : null}
      thread={thread}
    />
  );
  return (
    <main class={`conversation ${citation || threadId ? "with-side" : ""}`}>
      <div class={`conversation-main ${drop.isOver ? "dropping" : ""}`} {...drop.handlers}>
        <div class="conversation-head">
          <a class="icon-button only-narrow" href="/console/chat" aria-label={t("All conversations")}>
            <Icon name="back" />
          </a>
          <h1 class="truncate grow">{title ?? ""}</h1>
          {details?.temporary && (
            <span class="badge" title={t("In no list, without memories, deleted after a day")}>
              {t("Temporary")}
            </span>
          )}
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
            setAway(!isAtEnd.current);
          }}
        >
          <div class="transcript-inner" role="log" aria-live="off" aria-busy={isRunning} aria-label={t("Messages")}>
            {transcript.value === null && transcript.error === null && !reply && <Skeleton lines={6} />}
            {loadError ? (
              <FailureMessage
                error={loadError}
                onRetry={() => {
                  transcript.reload();
                  conversation.reload();
                }}
              />
            ) : null}
            {olderCursor && <EarlierMessages key={olderCursor} load={() => loadEarlier(olderCursor)} />}
            {groups.map((group, index) => {
              const [turn] = group as [BranchTurn];
              const before = groups[index - 1]?.at(-1);
              return group.length > 1 ? (
                <AlertGroupView
                  key={turn.message.message_id}
                  turns={group}
                  renderTurn={(each) => renderTurn(each, before)}
                />
              ) : (
                renderTurn(turn, before)
              );
            })}
            {canWrite && !reply && <FollowUps turn={turns.at(-1)} onAsk={ask} />}
            {reply && (
              <LiveReplyView
                reply={reply}
                showsQuestion={!isReplyStored}
                onOpenCitation={setCitation}
                onRetry={retryOf(reply, isReplyStored, (body) => request(body, partsOf(reply)))}
                onEdit={unsent === null ? null : takeBack}
                conversationId={id}
              />
            )}
          </div>
        </div>
        <div class="conversation-foot">
          {isAway && (
            <button
              type="button"
              class="button small to-end"
              onClick={() => scroller.current?.scrollTo({ top: scroller.current.scrollHeight })}
            >
              <Icon name="down" />
              {t("To the end")}
            </button>
          )}
          {queued !== null && (
            <div class="queued" role="status">
              <Icon name="clock" />
              <span class="truncate grow">{t("Next: {question}", { question: queued })}</span>
              <IconButton
                icon="edit"
                label={t("Edit the question")}
                onClick={() => {
                  setQueued(null);
                  setText([queued, text].filter(Boolean).join("\n\n"));
                }}
              />
              <IconButton icon="close" label={t("Do not send it")} onClick={() => setQueued(null)} />
            </div>
          )}
          <Composer
            value={text}
            onValue={setText}
            isRunning={isRunning}
            canQueue
            suggest={suggest}
            isDisabled={details !== null && !canWrite}
            onStop={() => void stop(id)}
            onSend={submit}
            filesOf={id}
            onFiles={attach}
          >
            {isOwner && (
              <PersonaMenu value={details?.persona_id ?? null} onValue={(persona) => void changePersona(id, persona)} />
            )}
            {details && <TierMenu value={currentTier} onValue={changeTier} />}
            {details && <ModelMenu value={model} personaId={details.persona_id} onValue={setModel} />}
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
          onOpenCitation={setCitation}
          onClose={() => openThread(null)}
        />
      )}
      {citation && (
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

const partsOf = ({ attachments, documents }: LiveReply) => ({ attachments, documents });

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

/** Returns the day of a message, to show above it; null if the message before is of the same day. */
function dayOf({ message }: BranchTurn, before: BranchTurn | undefined): string | null {
  const day = formatDay(message.created_at);
  return before && formatDay(before.message.created_at) === day ? null : day;
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

const changePersona = (id: string, personaId: string | null) => updateConversation(id, { persona_id: personaId });

async function updateConversation(
  id: string,
  body: { readonly persona_id: string | null } | { readonly tier: Tier },
): Promise<void> {
  try {
    await api.PATCH("/v1/conversations/{id}", { params: { path: { id } }, body });
    invalidate(`conversation:${id}`);
  } catch (error) {
    showError(error);
  }
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
