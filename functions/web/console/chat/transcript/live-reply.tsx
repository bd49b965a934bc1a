import { useEffect } from "preact/hooks";
import { describeOperation, useApprovalDecisions } from "../../lib/approvals.ts";
import { useResource } from "../../lib/data.ts";
import { t, tn } from "../../lib/i18n.ts";
import { showError } from "../../lib/toast.ts";
import { beginToolSignIn } from "../../lib/tool-sign-in.ts";
import { api, can, receptor } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { Icon } from "../../ui/icons.tsx";
import { onDemand } from "../../ui/on-demand.tsx";
import { Blocks, type OpenCitation } from "../blocks.tsx";
import { DocumentList } from "../documents/document-list.tsx";
import { Findings } from "../feedback.tsx";
import { Markdown } from "../markdown.tsx";
import { type LiveReply, liveReply } from "../run.ts";
import { titleOfSource } from "../source-title.ts";
import { ToolCalls } from "../tools/tool-calls.tsx";
import { retryOf, type SendRequest, unsentQuestion } from "./branch-turns.ts";

const AttachmentList = onDemand(() => import("../files/attachment-list.tsx").then((module) => module.AttachmentList));

const ToolQuestions = onDemand(() => import("../tools/tool-questions.tsx").then((module) => module.ToolQuestions));

/** Reply that is being written in a conversation or thread. It alone is drawn again while its text grows. */
export function RunningReply({
  conversationId,
  isStored,
  onOpenCitation,
  request,
  onTakeBack,
}: {
  readonly conversationId: string;
  /** True if the messages of the conversation contain the reply, and therefore its question. */
  readonly isStored: boolean;
  readonly onOpenCitation: OpenCitation;
  readonly request: SendRequest;
  /** Moves a question that failed before it was stored back into the text field. */
  readonly onTakeBack: () => void;
}) {
  const reply = liveReply(conversationId).value;
  if (!reply) return null;
  const { attachments, documents } = reply;
  return (
    <LiveReplyView
      reply={reply}
      showsQuestion={!isStored}
      onOpenCitation={onOpenCitation}
      onRetry={retryOf(reply, isStored, (body) => request(body, { attachments, documents }))}
      onEdit={unsentQuestion(reply) === null ? null : onTakeBack}
      conversationId={conversationId}
    />
  );
}

/** Reply while it is being written: steps, text, warnings and approvals. */
function LiveReplyView({
  reply,
  showsQuestion,
  conversationId,
  onOpenCitation,
  onRetry,
  onEdit,
}: {
  readonly reply: LiveReply;
  readonly showsQuestion: boolean;
  readonly conversationId: string;
  readonly onOpenCitation: OpenCitation;
  readonly onRetry: (() => void) | null;
  /** Moves a question that failed before it was stored back into the text field; null if the question was stored. */
  readonly onEdit: (() => void) | null;
}) {
  const {
    question,
    attachments,
    documents,
    steps,
    sources,
    warnings,
    removed,
    state,
    error,
    isReconnecting,
    stoppedAt,
  } = reply;
  const isStopping = stoppedAt !== null && state === "running";
  const isRunning = state === "running" && !isStopping;
  const text = isStopping ? reply.text.slice(0, stoppedAt) : reply.text;
  const blocks = isStopping ? null : reply.blocks;
  const approvalId = isStopping ? null : reply.approvalId;
  const isWaiting = isRunning && text === "" && blocks === null;
  return (
    <>
      {question !== null && showsQuestion && (
        <article class="message user" aria-label={t("Question")}>
          {attachments.length > 0 && <AttachmentList conversationId={conversationId} attachments={attachments} />}
          {documents.length > 0 && <DocumentList documents={documents} />}
          <div class="bubble" dir="auto">
            {question}
          </div>
        </article>
      )}
      <article class="message assistant" aria-label={t("Answer")}>
        {(isRunning || text !== "") && steps.length > 0 && (
          <details class="steps" open={isWaiting}>
            <summary>
              {isWaiting && <span class="spinner" aria-hidden="true" />}
              {steps.at(-1)?.title}
              {sources.length > 0 && ` · ${tn("{count} source", "{count} sources", sources.length)}`}
            </summary>
            <ul>
              {steps.map(({ title, detail }, index) => (
                <li key={index}>
                  <strong>{title}</strong> <span class="muted">{detail}</span>
                </li>
              ))}
              {sources.map((source, index) => (
                <li key={source.source_id || index} class="muted">
                  <Icon name="document" /> {titleOfSource(source)}
                  {source.heading ? `, ${source.heading}` : ""}
                </li>
              ))}
            </ul>
          </details>
        )}
        <ToolCalls calls={reply.calls} />
        {isWaiting && steps.length === 0 && (
          <div class="waiting" role="status" aria-label={t("The answer is being written")}>
            <span />
            <span />
            <span />
          </div>
        )}
        {warnings.map((warning) => (
          <p key={warning} class="notice warning">
            <Icon name="warning" />
            {warning}
          </p>
        ))}
        {removed && (
          <p class="notice warning">
            <Icon name="warning" />
            <span>
              {t("Sensitive data was removed.")} <Findings names={removed} />
            </span>
          </p>
        )}
        {blocks ? (
          <Blocks
            blocks={blocks}
            conversationId={conversationId}
            messageId={reply.messageId ?? ""}
            onOpenCitation={onOpenCitation}
          />
        ) : (
          text !== "" && (
            <div class="prose writing">
              <Markdown text={text} />
            </div>
          )
        )}
        {approvalId && <ApprovalRequest key={approvalId} id={approvalId} signInServerId={reply.signInServerId} />}
        {isReconnecting && <p class="muted small">{t("The connection was lost. Reconnecting…")}</p>}
        {(isStopping || state === "interrupted") && <p class="muted small">{t("This answer was stopped.")}</p>}
        {state === "failed" && (
          <div class="notice danger" role="alert">
            <Icon name="warning" />
            <span class="grow">{error ?? t("This answer could not be completed.")}</span>
            {onEdit && (
              <Button isSmall onClick={onEdit}>
                {t("Edit the question")}
              </Button>
            )}
            {onRetry && (
              <Button isSmall onClick={onRetry}>
                {t("Try again")}
              </Button>
            )}
          </div>
        )}
      </article>
      <Announcement text={isRunning ? "" : text} isWriting={isRunning} />
    </>
  );
}

/** Text for screen readers: announces that an answer is being written, and then reads the complete answer once. */
function Announcement({ text, isWriting }: { readonly text: string; readonly isWriting: boolean }) {
  return (
    <div class="visually-hidden" role="status">
      {isWriting ? t("The answer is being written") : text}
    </div>
  );
}

/** Interval in ms at which the state of a pending approval is read. */
const POLL_INTERVAL_MS = 5_000;

/** Tool call that waits for an approval, with buttons if the user may decide. */
function ApprovalRequest({ id, signInServerId }: { readonly id: string; readonly signInServerId: string | null }) {
  const key = `approval:${id}`;
  const approval = useResource(key, () => api.GET("/v1/approvals/{id}", { params: { path: { id } } }));
  const { isBusy, confirm, cancel, approve, deny } = useApprovalDecisions(id, () => approval.reload());
  const status = approval.value?.status;
  useEffect(() => {
    if (status !== undefined && status !== "pending") return;
    const timer = setInterval(approval.reload, POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [status]);
  const details = approval.value;
  if (!details) return null;
  if (details.questions && details.status === "pending" && details.requested_by === receptor.value?.user.user_id) {
    return (
      <ToolQuestions id={id} questions={details.questions} onAnswered={() => approval.reload()} onCancel={cancel} />
    );
  }
  const isOwn = details.requested_by === receptor.value?.user.user_id;
  // Calls of tool servers have the title of the tool as their reason.
  const isServerTool = details.action.operation.includes("__");
  const operation = (isServerTool && details.reason) || describeOperation(details.action.operation);
  const isConfirmation = details.decider === "requester";
  const isSignIn = signInServerId !== null;
  return (
    <div class="proposal approval">
      <Icon name="shield" />
      <div class="grow">
        <strong>
          {isSignIn
            ? t("Sign in for this step: {operation}", { operation })
            : isConfirmation
              ? t("Confirm this step: {operation}", { operation })
              : t("This step needs an approval: {operation}", { operation })}
        </strong>
        <pre>{JSON.stringify(details.action.params, null, 2)}</pre>
        {details.status === "pending" && isOwn && (
          <p class="muted small">
            {isSignIn
              ? t("The tool acts with your own account on its server. The answer continues after your sign-in.")
              : isConfirmation
                ? t("The answer continues when you confirm. Confirm it only if you want it.")
                : t("Another user with the right to decide has to approve it. The answer continues then.")}
          </p>
        )}
      </div>
      {details.status !== "pending" ? (
        <span class="muted small">{details.status === "approved" ? t("Approved") : t("Not approved")}</span>
      ) : isOwn ? (
        <div class="row wrap">
          {isSignIn && (
            <Button isSmall kind="primary" onClick={() => beginToolSignIn(signInServerId).catch(showError)}>
              {t("Sign in")}
            </Button>
          )}
          {isConfirmation && !isSignIn && (
            <Button isSmall kind="primary" disabled={isBusy} onClick={() => confirm()}>
              {t("Confirm")}
            </Button>
          )}
          {isConfirmation && details.remember && (
            <Button isSmall disabled={isBusy} onClick={() => confirm("conversation")}>
              {t("Confirm for this conversation")}
            </Button>
          )}
          {isConfirmation && details.remember === "always" && (
            <Button isSmall disabled={isBusy} onClick={() => confirm("always")}>
              {t("Always confirm")}
            </Button>
          )}
          <Button isSmall disabled={isBusy} onClick={cancel}>
            {isConfirmation ? t("Do not do it") : t("Withdraw")}
          </Button>
        </div>
      ) : (
        can("approval.decide") && (
          <div class="row">
            <Button isSmall kind="primary" disabled={isBusy} onClick={approve}>
              {t("Approve")}
            </Button>
            <Button isSmall disabled={isBusy} onClick={deny}>
              {t("Deny")}
            </Button>
          </div>
        )
      )}
    </div>
  );
}
