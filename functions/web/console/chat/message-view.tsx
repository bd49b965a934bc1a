import { useRef, useState } from "preact/hooks";
import type { Message } from "../../../../shared/api/conversations/messages.ts";
import { blocksToMarkdown } from "../../../../shared/markdown/blocks-to-markdown.ts";
import { describeCode } from "../lib/codes/server-texts.ts";
import { t, tn } from "../lib/i18n.ts";
import { usePeople } from "../lib/people/people.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button, CopyButton, IconButton } from "../ui/buttons.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { AlertCard } from "./alerts/alert-card.tsx";
import { Blocks, type OpenCitation } from "./blocks.tsx";
import { MAX_LENGTH } from "./composer.tsx";
import { DocumentList } from "./documents/document-list.tsx";
import { Checks, Rating } from "./feedback.tsx";
import { finishedCalls, updateMessages } from "./run.ts";
import { ToolCalls } from "./tools/tool-calls.tsx";

const AttachmentList = onDemand(() => import("./files/attachment-list.tsx").then((module) => module.AttachmentList));
const PromoteDialog = onDemand(() => import("./dialogs/promote-dialog.tsx").then((module) => module.PromoteDialog));

/** Returns the selected text if the selection starts within an element; otherwise an empty text. */
function selectionIn(element: HTMLElement | null): string {
  const selection = getSelection();
  return element && selection && element.contains(selection.anchorNode) ? selection.toString() : "";
}

/** Copies an answer as HTML, and as Markdown for programs that paste plain text. */
async function copyFormatted(element: HTMLElement | null, markdown: string): Promise<void> {
  const prose = element?.querySelector(".prose")?.cloneNode(true);
  if (!(prose instanceof HTMLElement)) return;
  for (const control of prose.querySelectorAll("button, .code-head")) control.remove();
  const toBlob = (text: string, type: string) => new Blob([text], { type });
  try {
    await navigator.clipboard.write([
      new ClipboardItem({
        "text/html": toBlob(prose.innerHTML, "text/html"),
        "text/plain": toBlob(markdown, "text/plain"),
      }),
    ]);
    showToast(t("Copied"));
  } catch (error) {
    showError(error);
  }
}

export interface ThreadAccess {
  /** Returns the number of replies in the thread of a message. */
  readonly countOf: (messageId: string) => number;
  readonly open: (messageId: string) => void;
}

/** Button that opens the thread of a message and shows the number of replies. */
function ThreadButton({ messageId, thread, canWrite }: { messageId: string; thread: ThreadAccess; canWrite: boolean }) {
  const count = thread.countOf(messageId);
  if (count === 0 && !canWrite) return null;
  return count === 0 ? (
    <IconButton icon="reply" label={t("Reply in a thread")} onClick={() => thread.open(messageId)} />
  ) : (
    <Button isSmall kind="quiet" icon="reply" onClick={() => thread.open(messageId)}>
      {tn("{count} reply", "{count} replies", count)}
    </Button>
  );
}

interface MessageProps {
  readonly message: Message;
  readonly onOpenCitation: OpenCitation;
  /** Requests another answer to the same question; null if this is not possible. */
  readonly onRegenerate: (() => void) | null;
  readonly canWrite: boolean;
  /** Access to the threads of the conversation; null for a message within a thread. */
  readonly thread: ThreadAccess | null;
}

/** Name of another user who wrote a question. */
function Author({ id }: { readonly id: string }) {
  const { nameOf } = usePeople();
  return <span class="muted small">{nameOf(id)}</span>;
}

/** Question of a user, with an editor to change it and ask again. */
export function UserMessage({
  message,
  onEdit,
  canWrite,
  thread,
}: Omit<MessageProps, "onOpenCitation" | "onRegenerate"> & {
  /** Asks the changed question; null if this is not possible. */
  readonly onEdit: ((content: string) => void) | null;
}) {
  const [draft, setDraft] = useState<string | null>(null);
  const text = blocksToMarkdown(message.content);
  const isOwn = message.author_id === receptor.value?.user.user_id;
  return (
    <article id={message.message_id} tabIndex={-1} class="message user" aria-label={t("Question")}>
      {message.attachments && message.attachments.length > 0 && (
        <AttachmentList conversationId={message.conversation_id} attachments={message.attachments} />
      )}
      {message.documents && <DocumentList documents={message.documents} />}
      {draft === null ? (
        <>
          <div class="bubble" dir="auto">
            {text}
          </div>
          <div class="message-actions">
            {!isOwn && message.author_id && <Author id={message.author_id} />}
            {message.edited_at && <span class="muted small">{t("edited")}</span>}
            <CopyButton text={text} label={t("Copy the question")} />
            {isOwn && onEdit && (
              <IconButton icon="edit" label={t("Edit the question")} onClick={() => setDraft(text)} />
            )}
            {thread && <ThreadButton messageId={message.message_id} thread={thread} canWrite={canWrite} />}
          </div>
        </>
      ) : (
        <form
          class="stack tight edit-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!onEdit || !draft.trim()) return;
            setDraft(null);
            onEdit(draft);
          }}
        >
          <TextField
            label={t("Question")}
            rows={4}
            maxLength={MAX_LENGTH}
            value={draft}
            onValue={setDraft}
            onKeyDown={(event) => {
              if (event.key === "Escape") {
                event.stopPropagation();
                setDraft(null);
              }
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
            required
            autoFocus
          />
          <div class="row">
            <Button
              kind="primary"
              type="submit"
              isSmall
              title={t("Send (Ctrl Enter)")}
              disabled={!onEdit || !draft.trim()}
            >
              {t("Send")}
            </Button>
            <Button isSmall onClick={() => setDraft(null)}>
              {t("Cancel")}
            </Button>
          </div>
        </form>
      )}
    </article>
  );
}

/** Answer of the assistant, or alert from a webhook. */
export function AssistantMessage({
  message,
  onOpenCitation,
  onRegenerate,
  onQuote,
  canWrite,
  thread,
}: MessageProps & {
  /** Adds a text to the next question as a quote; null if this is not possible. */
  readonly onQuote: ((text: string) => void) | null;
}) {
  const ref = useRef<HTMLElement>(null);
  const { message_id, conversation_id, content, status, usage, role, model } = message;
  const blocks = (
    <Blocks blocks={content} conversationId={conversation_id} messageId={message_id} onOpenCitation={onOpenCitation} />
  );
  const [isDeleting, setDeleting] = useState(false);
  const [isPromoting, setPromoting] = useState(false);
  return (
    <article
      ref={ref}
      id={message_id}
      tabIndex={-1}
      class={`message assistant ${role}`}
      aria-label={role === "alert" ? t("Alert") : t("Answer")}
    >
      <ToolCalls calls={finishedCalls.get(message_id) ?? []} />
      {role === "alert" ? <AlertCard message={message}>{blocks}</AlertCard> : blocks}
      {status === "interrupted" && <p class="muted small">{t("This answer was stopped.")}</p>}
      {status === "failed" && (
        <div class="notice danger">
          <Icon name="warning" />
          <span class="grow">
            {message.error ? describeCode(message.error) : t("This answer could not be completed.")}
          </span>
          {onRegenerate && (
            <Button isSmall onClick={onRegenerate}>
              {t("Try again")}
            </Button>
          )}
        </div>
      )}
      <Checks message={message} />
      <div class="message-actions">
        <CopyButton text={blocksToMarkdown(content)} label={t("Copy the answer")} />
        {onRegenerate && <IconButton icon="retry" label={t("Answer again")} onClick={onRegenerate} />}
        {role === "assistant" && <Rating message={message} />}
        {thread && <ThreadButton messageId={message_id} thread={thread} canWrite={canWrite} />}
        <Menu
          label={t("More actions")}
          className="start"
          entries={[
            {
              label: t("Copy as formatted text"),
              icon: "copy",
              onSelect: () => void copyFormatted(ref.current, blocksToMarkdown(content)),
            },
            ...(onQuote
              ? [
                  {
                    label: t("Quote in the next question"),
                    icon: "quote" as const,
                    onSelect: () => onQuote(selectionIn(ref.current) || blocksToMarkdown(content)),
                  },
                ]
              : []),
            ...(can("knowledge.create")
              ? [{ label: t("Add to knowledge"), icon: "book" as const, onSelect: () => setPromoting(true) }]
              : []),
            ...(can("message.delete") && canWrite
              ? [{ label: t("Delete"), icon: "trash" as const, isDanger: true, onSelect: () => setDeleting(true) }]
              : []),
          ]}
        />
        {usage && (
          <span class="muted small usage" title={model ?? ""}>
            {tn("{count} token", "{count} tokens", usage.total_tokens)}
          </span>
        )}
      </div>
      {isPromoting && (
        <PromoteDialog conversationId={conversation_id} messageId={message_id} onClose={() => setPromoting(false)} />
      )}
      {isDeleting && (
        <ConfirmDialog
          title={t("Delete this answer?")}
          text={t("The answer will be removed from the conversation.")}
          action={t("Delete")}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.DELETE("/v1/conversations/{id}/messages/{mid}", {
              params: { path: { id: conversation_id, mid: message_id } },
            });
            updateMessages(message, (messages) => messages.filter((each) => each.message_id !== message_id));
          }}
        />
      )}
    </article>
  );
}
