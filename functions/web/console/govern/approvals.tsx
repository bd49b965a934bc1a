import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { describeError, showError, showToast } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Badge, Button, Dialog, Empty, ResourceStatus, TextField } from "../ui/controls.tsx";
import { Page } from "../ui/layout.tsx";

type Approval = ReplyOf<"/v1/approvals", "get">["approvals"][number];

const statusKinds = { pending: "warning", approved: "success", denied: "danger", cancelled: "", expired: "" } as const;

const statusTexts = (): Record<Approval["status"], string> => ({
  pending: t("open"),
  approved: t("approved"),
  denied: t("denied"),
  cancelled: t("withdrawn"),
  expired: t("expired"),
});

const operationTexts = (): Readonly<Record<string, string>> => ({
  createShareLink: t("Create a public link"),
  exportConversation: t("Export a conversation"),
  createExport: t("Export all data of a user"),
  readConversation: t("Read a conversation of another user"),
});

/** Requests that wait for a decision, and those that were decided. */
export function Approvals() {
  const [tab, setTab] = useState<"open" | "all">("open");
  const list = useResource(`approvals:${tab}`, () =>
    api.GET("/v1/approvals", {
      params: { query: { limit: 50, ...(tab === "open" && { status: "pending" as const }) } },
    }),
  );
  const approvals = list.value?.approvals ?? [];
  return (
    <Page
      title={t("Approvals")}
      intro={t("Actions that the policy holds until another user has approved them.")}
      back={{ path: "/console/govern", label: t("Govern"), isNarrowOnly: true }}
    >
      <div class="tabs" role="tablist" aria-label={t("Approvals")}>
        <button type="button" role="tab" aria-selected={tab === "open"} onClick={() => setTab("open")}>
          {t("Open")}
        </button>
        <button type="button" role="tab" aria-selected={tab === "all"} onClick={() => setTab("all")}>
          {t("All")}
        </button>
      </div>
      <ResourceStatus resource={list} />
      {list.value !== null && approvals.length === 0 && (
        <Empty icon="inbox" title={tab === "open" ? t("Nothing is waiting") : t("No approvals yet")}>
          {t("The policy decides which actions need an approval.")}
        </Empty>
      )}
      <div class="stack">
        {approvals.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
      </div>
    </Page>
  );
}

function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const { id, status, action, decider, requested_by, reason, risk_level, created_at, expires_at, decided_by, note } =
    approval;
  const [isEditing, setEditing] = useState(false);
  const isOwn = requested_by === receptor.value?.user.user_id;
  const params = { path: { id } };
  const act = async (request: () => Promise<unknown>, message: string) => {
    try {
      await request();
      invalidate("approvals");
      showToast(message);
    } catch (error) {
      showError(error);
    }
  };
  const decide = (decision: "approve" | "deny", message: string) =>
    act(() => api.POST("/v1/approvals/{id}/decide", { params, body: { decision } }), message);
  return (
    <article class="card stack tight">
      <div class="row between wrap">
        <h2>{operationTexts()[action.operation] ?? action.operation}</h2>
        <div class="row">
          <Badge kind={risk_level === "critical" || risk_level === "high" ? "danger" : ""}>
            {t("risk: {level}", { level: risk_level })}
          </Badge>
          <Badge kind={statusKinds[status]}>{statusTexts()[status]}</Badge>
        </div>
      </div>
      <p class="small muted">
        {t("Requested by {user} {when}", { user: requested_by, when: formatAgo(created_at) })}
        {status === "pending" && `, ${t("expires {date}", { date: formatDateTime(expires_at) })}`}
        {decided_by && `, ${t("decided by {user}", { user: decided_by })}`}
      </p>
      {reason && <p>{reason}</p>}
      {note && <p class="muted">{note}</p>}
      <div class="code">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
        <pre tabIndex={0}>{JSON.stringify(action.params, null, 2)}</pre>
      </div>
      {status === "pending" && (
        <div class="row wrap">
          {isOwn && decider === "requester" && (
            <Button
              isSmall
              kind="primary"
              onClick={() => act(() => api.POST("/v1/approvals/{id}/confirm", { params }), t("Confirmed."))}
            >
              {t("Confirm")}
            </Button>
          )}
          {isOwn ? (
            <Button
              isSmall
              onClick={() =>
                act(() => api.POST("/v1/approvals/{id}/cancel", { params }), t("The request was withdrawn."))
              }
            >
              {t("Withdraw")}
            </Button>
          ) : (
            can("approval.decide") &&
            decider === "approver" && (
              <>
                <Button isSmall kind="primary" onClick={() => decide("approve", t("Approved."))}>
                  {t("Approve")}
                </Button>
                <Button isSmall onClick={() => decide("deny", t("Denied."))}>
                  {t("Deny")}
                </Button>
                <Button isSmall kind="quiet" onClick={() => setEditing(true)}>
                  {t("Change and approve")}
                </Button>
              </>
            )
          )}
        </div>
      )}
      {isEditing && <EditDialog approval={approval} onClose={() => setEditing(false)} />}
    </article>
  );
}

function EditDialog({ approval, onClose }: { readonly approval: Approval; readonly onClose: () => void }) {
  const [text, setText] = useState(JSON.stringify(approval.action.params, null, 2));
  const [note, setNote] = useState("");
  const [error, setError] = useState<string | null>(null);
  return (
    <Dialog title={t("Change and approve")} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          try {
            const values = JSON.parse(text);
            await api.POST("/v1/approvals/{id}/decide", {
              params: { path: { id: approval.id } },
              body: { decision: "edit", params: values, note: note || null },
            });
            invalidate("approvals");
            onClose();
          } catch (failure) {
            setError(failure instanceof SyntaxError ? t("This is not valid JSON.") : describeError(failure));
          }
        }}
      >
        <TextField label={t("Parameters (JSON)")} value={text} onValue={setText} rows={7} error={error} />
        <TextField label={t("Note (optional)")} value={note} onValue={setNote} />
        <div class="actions">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="primary" type="submit">
            {t("Approve")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
