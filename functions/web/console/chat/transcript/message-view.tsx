import { useRef, useState } from "preact/hooks";
import type { Message } from "../../../../../shared/api/conversations/messages.ts";
import { blocksToMarkdown } from "../../../../../shared/markdown/blocks-to-markdown.ts";
import { describeCode } from "../../lib/codes/server-texts.ts";
import { copyRich } from "../../lib/copy-rich.ts";
import { t, tn } from "../../lib/i18n.ts";
import { usePeople } from "../../lib/people/people.ts";
import { api, can, receptor } from "../../session/session.ts";
import { Button, CopyButton, IconButton } from "../../ui/buttons.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu.tsx";
import { onDemand } from "../../ui/on-demand.tsx";
import { AlertCard } from "../alerts/alert-card.tsx";
import { Blocks } from "../blocks.tsx";
import { Checks, hasChanged } from "../checks.tsx";
import { MAX_LENGTH } from "../composer/composer.tsx";
import { DocumentList } from "../documents/document-list.tsx";
import { Rating } from "../feedback.tsx";
import { finishedCalls, isAnswering, updateMessages } from "../run.ts";
import { ToolCalls } from "../tools/tool-calls.tsx";
import type { TurnActions } from "./branch-turns.ts";

const AttachmentList = onDemand(() => import("../files/attachment-list.tsx").then((module) => module.AttachmentList));
const MessageDetails = onDemand(() => import("../message-details.tsx").then((module) => module.MessageDetails));
const PromoteDialog = onDemand(() => import("../dialogs/promote-dialog.tsx").then((module) => module.PromoteDialog));
// Part of the assistants' code: with a chunk of its own, ten files instead of seven would have what views share.
const AnswerItemDialog = onDemand(() =>
  import("../../assistants/assistants-view.tsx").then((module) => module.AnswerItemDialog),
);

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
  await copyRich(prose.innerHTML, markdown);
}

interface MessageProps {
  readonly message: Message;
  readonly actions: TurnActions;
  readonly canWrite: boolean;
  /** Number of replies in the thread of the message. */
  readonly replyCount: number;
}

/** Button that opens the thread of a message and shows the number of replies. */
function ThreadButton({ message, actions: { openThread }, canWrite, replyCount }: MessageProps) {
  if (!openThread || (replyCount === 0 && !canWrite)) return null;
  const open = () => openThread(message.message_id);
  return replyCount === 0 ? (
    <IconButton icon="reply" label={t("Reply in a thread")} onClick={open} />
  ) : (
    <Button isSmall kind="quiet" icon="reply" onClick={open}>
      {tn("{count} reply", "{count} replies", replyCount)}
    </Button>
  );
}

/** Name of another user who wrote a question. */
function Author({ id }: { readonly id: string }) {
  const { nameOf } = usePeople();
  return <span class="muted small">{nameOf(id)}</span>;
}

/** Question of a user, with an editor to change it and ask again. */
export function UserMessage(props: MessageProps) {
  const { message, canWrite, actions } = props;
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
            {isOwn && canWrite && (
              <IconButton data-idle-only icon="edit" label={t("Edit the question")} onClick={() => setDraft(text)} />
            )}
            <ThreadButton {...props} />
          </div>
        </>
      ) : (
        <form
          class="stack tight edit-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!draft.trim() || isAnswering(message.conversation_id)) return;
            setDraft(null);
            actions.edit(message.message_id, draft);
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
              data-idle-only
              kind="primary"
              type="submit"
              isSmall
              title={t("Send (Ctrl Enter)")}
              disabled={!draft.trim()}
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
export function AssistantMessage(props: MessageProps) {
  const { message, canWrite, actions } = props;
  const ref = useRef<HTMLElement>(null);
  const { message_id, conversation_id, content, status, role, checks = [] } = message;
  const blocks = (
    <Blocks
      blocks={content}
      conversationId={conversation_id}
      messageId={message_id}
      onOpenCitation={actions.openCitation}
    />
  );
  const [isDeleting, setDeleting] = useState(false);
  const [isPromoting, setPromoting] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const [isDetailed, setDetailed] = useState(false);
  const { quote } = actions;
  const canRegenerate = canWrite && role === "assistant";
  const regenerate = () => actions.regenerate(message_id);
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
      {message.finish_reason && <p class="muted small">{t("This answer reached its maximum length.")}</p>}
      {status === "failed" && (
        <div class="notice danger">
          <Icon name="warning" />
          <span class="grow">
            {message.error ? describeCode(message.error) : t("This answer could not be completed.")}
          </span>
          {canRegenerate && (
            <Button data-idle-only isSmall onClick={regenerate}>
              {t("Try again")}
            </Button>
          )}
        </div>
      )}
      <Checks message={message} checks={checks.filter(hasChanged)} />
      <div class="message-actions">
        <CopyButton text={blocksToMarkdown(content)} label={t("Copy the answer")} />
        {canRegenerate && <IconButton data-idle-only icon="retry" label={t("Answer again")} onClick={regenerate} />}
        {role === "assistant" && <Rating message={message} />}
        <ThreadButton {...props} />
        <Menu
          label={t("More actions")}
          className="start"
          entries={[
            {
              label: t("Copy as formatted text"),
              icon: "copy",
              onSelect: () => void copyFormatted(ref.current, blocksToMarkdown(content)),
            },
            ...(quote && canWrite
              ? [
                  {
                    label: t("Quote in the next question"),
                    icon: "quote" as const,
                    onSelect: () => quote(selectionIn(ref.current) || blocksToMarkdown(content)),
                  },
                ]
              : []),
            ...(can("knowledge.create")
              ? [{ label: t("Add to knowledge"), icon: "book" as const, onSelect: () => setPromoting(true) }]
              : []),
            ...(role === "assistant" && (can("persona.publish") || can("rbac.manage"))
              ? [{ label: t("Add to a test set"), icon: "check" as const, onSelect: () => setTesting(true) }]
              : []),
            ...(role === "assistant"
              ? [
                  {
                    label: isDetailed ? t("Hide the details") : t("Details"),
                    icon: "sliders" as const,
                    onSelect: () => setDetailed(!isDetailed),
                  },
                ]
              : []),
            ...(can("message.delete") && canWrite
              ? [{ label: t("Delete"), icon: "trash" as const, isDanger: true, onSelect: () => setDeleting(true) }]
              : []),
          ]}
        />
      </div>
      {isDetailed && <MessageDetails message={message} />}
      {isPromoting && (
        <PromoteDialog conversationId={conversation_id} messageId={message_id} onClose={() => setPromoting(false)} />
      )}
      {isTesting && <AnswerItemDialog message={message} onClose={() => setTesting(false)} />}
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
