import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { Markdown } from "../chat/markdown.tsx";
import { describeOperation, useApprovalDecisions } from "../lib/approvals.ts";
import { severityTexts } from "../lib/codes/server-texts.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { type NameOf, usePeople } from "../lib/people/people.ts";
import { useTargetNames } from "../lib/target-names.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { MoreButton } from "../ui/list.tsx";
import { schemaEntries } from "../ui/schema-entries.ts";
import { Badge, Empty, ResourceStatus, Skeleton } from "../ui/status.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { toWords, ValueText } from "../ui/value-text.tsx";

type Approval = ReplyOf<"/v1/approvals", "get">["approvals"][number];

const statusKinds = { pending: "warning", approved: "success", denied: "danger", cancelled: "", expired: "" } as const;

const statusTexts = (): Record<Approval["status"], string> => ({
  pending: t("open"),
  approved: t("approved"),
  denied: t("denied"),
  cancelled: t("withdrawn"),
  expired: t("expired"),
});

/** Requests that wait for a decision, and those that were decided. */
export function Approvals() {
  const [tab, setTab] = useState<"open" | "all">("open");
  const { nameOf } = usePeople();
  const list = usePages(
    `approvals:${tab}`,
    (page) =>
      api.GET("/v1/approvals", {
        params: { query: { ...page, ...(tab === "open" && { status: "pending" as const }) } },
      }),
    (reply) => reply.approvals,
  );
  const approvals = list.entries;
  return (
    <PageLayout title={t("Approvals")} intro={t("Actions that the policy holds until another user has approved them.")}>
      <Tabs
        label={t("Approvals")}
        value={tab}
        onValue={setTab}
        options={[
          ["open", t("Undecided")],
          ["all", t("All")],
        ]}
      />
      <ResourceStatus resource={list} />
      {list.value !== null && approvals.length === 0 && (
        <Empty icon="inbox" title={tab === "open" ? t("Nothing is waiting") : t("No approvals yet")}>
          {t("The policy decides which actions need an approval.")}
        </Empty>
      )}
      <div class="stack">
        {approvals.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} nameOf={nameOf} />
        ))}
      </div>
      <MoreButton list={list} />
    </PageLayout>
  );
}

function ApprovalCard({ approval, nameOf }: { readonly approval: Approval; readonly nameOf: NameOf }) {
  const { id, status, action, decider, requested_by, reason, risk_level, created_at, expires_at } = approval;
  const { decided_by, note, questions } = approval;
  const [isEditing, setEditing] = useState(false);
  const isOwn = requested_by === receptor.value?.user.user_id;
  const isDecided = status === "pending" && !isOwn && can("approval.decide") && decider === "approver";
  const { isBusy, confirm, cancel, approve, deny } = useApprovalDecisions(id, () => invalidate("approvals"));
  return (
    <article class="card stack tight">
      <div class="row between wrap">
        <h2>{describeOperation(action.operation)}</h2>
        <div class="row">
          <Badge kind={risk_level === "critical" || risk_level === "high" ? "danger" : ""}>
            {t("risk: {level}", { level: severityTexts()[risk_level] })}
          </Badge>
          <Badge kind={statusKinds[status]}>{statusTexts()[status]}</Badge>
        </div>
      </div>
      <p class="small muted">
        {t("Requested by {user} {when}", { user: nameOf(requested_by), when: formatAgo(created_at) })}
        {status === "pending" && `, ${t("expires {date}", { date: formatDateTime(expires_at) })}`}
        {decided_by && `, ${t("decided by {user}", { user: nameOf(decided_by) })}`}
      </p>
      {reason && <p>{reason}</p>}
      {note && <p class="muted">{note}</p>}
      {questions?.map(({ key, server_name, message }) => (
        <p key={key}>
          {t("{server} asks: {message}", { server: server_name ?? t("The assistant"), message })}{" "}
          {t("Answer it in the conversation.")}
        </p>
      ))}
      <Parameters action={action} nameOf={nameOf} isOwn={isOwn} />
      {isDecided && disclosingOperations.has(action.operation) && <Conversation approvalId={id} />}
      {status === "pending" && (
        <div class="row wrap">
          {isOwn && decider === "requester" && !questions && (
            <Button isSmall kind="primary" disabled={isBusy} onClick={() => confirm()}>
              {t("Confirm")}
            </Button>
          )}
          {isOwn ? (
            <Button isSmall disabled={isBusy} onClick={cancel}>
              {t("Withdraw")}
            </Button>
          ) : (
            isDecided && (
              <>
                <Button isSmall kind="primary" disabled={isBusy} onClick={approve}>
                  {t("Approve")}
                </Button>
                <Button isSmall disabled={isBusy} onClick={deny}>
                  {t("Deny")}
                </Button>
                <Button isSmall onClick={() => setEditing(true)}>
                  {t("Change and approve")}
                </Button>
              </>
            )
          )}
        </div>
      )}
      {isEditing && <ChangeDialog approval={approval} onClose={() => setEditing(false)} />}
    </article>
  );
}

/** Operations that pass the content of a conversation on. */
const disclosingOperations: ReadonlySet<string> = new Set(["createShareLink", "exportConversation"]);

/** End of the conversation that a request would disclose, loaded when it is opened. */
function Conversation({ approvalId }: { readonly approvalId: string }) {
  const [isOpen, setOpen] = useState(false);
  const params = { path: { id: approvalId } };
  const resource = useResource(isOpen ? `approvals:one:${approvalId}` : null, () =>
    api.GET("/v1/approvals/{id}", { params }),
  );
  const conversation = resource.value?.conversation;
  const roles = { user: t("User"), assistant: t("Assistant"), alert: t("Alert"), system: "" };
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t("Show the conversation")}</summary>
      <ResourceStatus resource={resource} lines={2} />
      {resource.value && !conversation && <p class="muted">{t("The conversation was deleted.")}</p>}
      {conversation && (
        <div class="stack">
          <strong dir="auto">{conversation.title}</strong>
          {conversation.messages.length < conversation.message_count && (
            <p class="muted small">
              {t("The last messages, of {count} in all branches", { count: conversation.message_count })}
            </p>
          )}
          {conversation.messages.map(({ role, text, created_at }, index) => (
            <article key={`${index} ${created_at}`} class="stack tight">
              <p class="small muted">
                {roles[role]} · {formatDateTime(created_at)}
              </p>
              <div class="prose" dir="auto">
                <Markdown text={text} />
              </div>
            </article>
          ))}
        </div>
      )}
    </details>
  );
}

const lifetimeTexts = (): Readonly<Record<string, string>> => ({
  "1h": t("1 hour"),
  "24h": t("1 day"),
  "7d": t("7 days"),
  "30d": t("30 days"),
});

const formatTexts: Readonly<Record<string, string>> = { json: "JSON", markdown: "Markdown" };

const parameterTexts = (): Readonly<Record<string, string>> => ({
  conversation_id: t("Conversation"),
  user_id: t("User"),
  expires_in: t("Valid for"),
  format: t("Format"),
  title: t("Title"),
  body: t("Text"),
  tags: t("Tags"),
  server: t("Tool server"),
  tool: t("Tool"),
  arguments: t("Inputs"),
});

/** Parameters of an action as a list of names and values. Only the requester has access to the conversation for sure. */
function Parameters({
  action: { operation, params },
  nameOf,
  isOwn,
}: {
  readonly action: Approval["action"];
  readonly nameOf: NameOf;
  readonly isOwn: boolean;
}) {
  const entries = Object.entries(params).filter(([name, value]) => {
    // The card shows the conversation itself.
    if (name === "conversation_id" && !isOwn && disclosingOperations.has(operation)) return false;
    return value !== null && value !== "";
  });
  const ids = entries.flatMap(([name, value]) => (isOwn && name === "conversation_id" ? [String(value)] : []));
  const nameTarget = useTargetNames(ids.map((id) => ({ type: "conversation", id })));
  if (entries.length === 0) return null;
  const render = (name: string, value: unknown) => {
    if (name === "expires_in") return lifetimeTexts()[String(value)] ?? String(value);
    if (name === "conversation_id" && typeof value === "string") {
      const title = nameTarget({ type: "conversation", id: value }).name;
      if (!isOwn) return title ?? t("without a name");
      return <a href={`/console/chat/${value}`}>{title ?? t("Open the conversation")}</a>;
    }
    if (name === "format") return formatTexts[String(value)] ?? String(value);
    if (name === "user_id" && typeof value === "string") return nameOf(value);
    return <ValueText value={value} />;
  };
  return (
    <dl class="parameters">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{parameterTexts()[name] ?? toWords(name)}</dt>
          <dd dir="auto">{render(name, value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Schemas of the operations that the service executes itself. Their ids must not change, so they are no fields. */
const operationSchemas = (): Readonly<Record<string, Readonly<Record<string, unknown>>>> => ({
  createShareLink: { properties: { expires_in: { enum: Object.keys(lifetimeTexts()) } }, required: ["expires_in"] },
  exportConversation: { properties: { format: { enum: ["json", "markdown"] } }, required: ["format"] },
  readConversation: { properties: { hours: { type: "integer", minimum: 1, maximum: 168 } }, required: ["hours"] },
  createExport: {},
  eraseUser: {},
});

/** Dialog that changes the parameters of an action in a form and approves it. */
function ChangeDialog({ approval, onClose }: { readonly approval: Approval; readonly onClose: () => void }) {
  const { id, action } = approval;
  const params = { path: { id } };
  const resource = useResource(`approvals:one:${id}`, () => api.GET("/v1/approvals/{id}", { params }));
  const own = operationSchemas()[action.operation];
  const schema = own ?? resource.value?.input_schema ?? {};
  const isLoading = resource.value === null && resource.error === null;
  const fixed = own ? Object.entries(action.params).filter(([name]) => name.endsWith("_id")) : [];
  const describeOption = (value: string | number | boolean) =>
    (own && (lifetimeTexts()[String(value)] ?? formatTexts[String(value)])) || String(value);
  const fields = schemaEntries(schema, action.params, "params", parameterTexts(), describeOption);
  return (
    <FormDialog
      title={t("Change and approve")}
      action={t("Approve")}
      canSave={!isLoading}
      value={{ params: action.params }}
      fields={[
        ...(isLoading
          ? [<Skeleton key="loading" lines={2} />]
          : fields.filter(({ property }) => !own || !property.endsWith("_id"))),
        { name: "note", label: t("Note (optional)") },
      ]}
      resource="approvals"
      savedText={t("Approved.")}
      onSave={({ params: changed, note }: { params?: Record<string, unknown>; note: string }) =>
        api.POST("/v1/approvals/{id}/decide", {
          params,
          body: { decision: "edit", params: { ...Object.fromEntries(fixed), ...changed }, note: note || null },
        })
      }
      onClose={onClose}
    />
  );
}
