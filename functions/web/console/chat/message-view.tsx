import { useState } from "preact/hooks";
import { formatDateTime } from "../lib/format.ts";
import { t, tn } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Badge, Button, ConfirmDialog, CopyButton, Dialog, IconButton, Menu, TextField } from "../ui/controls.tsx";
import { Form, FormError } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { Blocks, type OpenCitation } from "./blocks.tsx";
import { Checks, Rating } from "./feedback.tsx";
import { type Block, type Message, updateMessages } from "./run.ts";

/** Returns the text of a message as Markdown. */
export function textOf(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      switch (block.type) {
        case "text":
          return block.text;
        case "code":
          return `\`\`\`${block.language ?? ""}\n${block.code}\n\`\`\``;
        case "list":
          return block.items.map((item, index) => `${block.ordered ? `${index + 1}.` : "-"} ${item}`).join("\n");
        case "table":
          return [block.columns, block.columns.map(() => "---"), ...block.rows]
            .map((row) => `| ${row.join(" | ")} |`)
            .join("\n");
        default:
          return "";
      }
    })
    .filter(Boolean)
    .join("\n\n");
}

/** Threads of a conversation. */
export interface ThreadAccess {
  /** Returns the number of replies to a message. */
  readonly countOf: (messageId: string) => number;
  readonly open: (messageId: string) => void;
}

/** Button that opens the thread of a message, with the number of replies. */
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
  /** Asks for another answer to the same question; null if this is not possible. */
  readonly onRegenerate: (() => void) | null;
  readonly canWrite: boolean;
  /** Threads of the conversation; null within a thread. */
  readonly thread: ThreadAccess | null;
}

/** Question of a user, with an editor for its text. */
export function UserMessage({ message, onRegenerate, canWrite, thread }: MessageProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const text = textOf(message.content);
  const isOwn = message.author_id === receptor.value?.user.user_id;
  const save = async () => {
    const { conversation_id, message_id } = message;
    const updated = await api.PATCH("/v1/conversations/{id}/messages/{mid}", {
      params: { path: { id: conversation_id, mid: message_id } },
      body: { content: draft ?? "" },
    });
    updateMessages(message, (messages) => messages.map((each) => (each.message_id === message_id ? updated : each)));
    setDraft(null);
    onRegenerate?.();
  };
  return (
    <article class="message user" aria-label={t("Question")}>
      {draft === null ? (
        <>
          <div class="bubble">{text}</div>
          <div class="message-actions">
            {!isOwn && message.author_id && <span class="muted small">{message.author_id}</span>}
            {message.edited_at && <span class="muted small">{t("edited")}</span>}
            <CopyButton text={text} label={t("Copy the question")} />
            {canWrite && can("message.edit") && (
              <IconButton icon="edit" label={t("Edit the question")} onClick={() => setDraft(text)} />
            )}
            {thread && <ThreadButton messageId={message.message_id} thread={thread} canWrite={canWrite} />}
          </div>
        </>
      ) : (
        <Form class="stack tight edit-form" onSubmit={save}>
          <TextField
            label={t("Question")}
            name="content"
            rows={4}
            value={draft}
            onValue={setDraft}
            required
            autoFocus
          />
          <div class="row">
            <Button kind="primary" type="submit" isSmall disabled={!draft.trim()}>
              {onRegenerate ? t("Save and answer again") : t("Save")}
            </Button>
            <Button isSmall onClick={() => setDraft(null)}>
              {t("Cancel")}
            </Button>
          </div>
          <FormError />
        </Form>
      )}
    </article>
  );
}

/** Answer of the assistant, or an alert that a webhook delivered. */
export function AssistantMessage({ message, onOpenCitation, onRegenerate, canWrite, thread }: MessageProps) {
  const { message_id, conversation_id, content, status, usage, role, created_at, model } = message;
  const [isDeleting, setDeleting] = useState(false);
  const [isPromoting, setPromoting] = useState(false);
  return (
    <article class={`message assistant ${role}`} aria-label={role === "alert" ? t("Alert") : t("Answer")}>
      {role === "alert" && (
        <div class="row small">
          <Badge kind="warning">{t("Alert")}</Badge>
          <span class="muted">{formatDateTime(created_at)}</span>
        </div>
      )}
      <Blocks
        blocks={content}
        conversationId={conversation_id}
        messageId={message_id}
        onOpenCitation={onOpenCitation}
      />
      {status === "interrupted" && <p class="muted small">{t("This answer was stopped.")}</p>}
      {status === "failed" && <p class="notice danger">{t("This answer could not be completed.")}</p>}
      <Checks message={message} />
      <div class="message-actions">
        <CopyButton text={textOf(content)} label={t("Copy the answer")} />
        {onRegenerate && <IconButton icon="retry" label={t("Answer again")} onClick={onRegenerate} />}
        {role === "assistant" && <Rating message={message} />}
        {thread && <ThreadButton messageId={message_id} thread={thread} canWrite={canWrite} />}
        <Menu
          label={t("More actions")}
          className="start"
          entries={[
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

function PromoteDialog({
  conversationId,
  messageId,
  onClose,
}: {
  readonly conversationId: string;
  readonly messageId: string;
  readonly onClose: () => void;
}) {
  const [collections, setCollections] = useState<readonly { id: string; name: string }[] | null>(null);
  if (collections === null) {
    api.GET("/v1/knowledge/collections").then(
      (page) => setCollections(page.collections),
      (error) => {
        showError(error);
        onClose();
      },
    );
  }
  return (
    <Dialog title={t("Add to knowledge")} onClose={onClose}>
      <p class="muted">{t("The answer becomes a document that other answers can cite.")}</p>
      <div class="stack tight">
        {collections?.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            class="item bordered"
            onClick={async () => {
              try {
                await api.POST("/v1/knowledge/collections/{id}/promote", {
                  params: { path: { id } },
                  body: { conversation_id: conversationId, message_id: messageId },
                });
                showToast(t("Added to {name}.", { name }));
                onClose();
              } catch (error) {
                showError(error);
              }
            }}
          >
            <Icon name="book" />
            {name}
          </button>
        ))}
        {collections?.length === 0 && <p>{t("Create a collection in Knowledge first.")}</p>}
      </div>
    </Dialog>
  );
}
