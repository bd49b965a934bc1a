import { useEffect, useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import type { NameOf } from "../lib/people/people.ts";
import { providerLabels } from "../lib/write-back.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Badge } from "../ui/status.tsx";

type Updates = ReplyOf<"/v1/investigations/{id}/updates", "get">;
type WriteBack = NonNullable<Updates["write_back"]>;
type Update = Updates["updates"][number];
type Action = Update["action"];

/** Pause between requests while an update is written, in ms. */
const REFRESH_MS = 2_000;

const actionTexts = (): Record<Action, string> => ({
  acknowledge: t("Acknowledge"),
  note: t("Write a note"),
  resolve: t("Resolve"),
});

const statusKinds = {
  waiting: "warning",
  pending: "accent",
  delivered: "success",
  failed: "danger",
  denied: "",
  expired: "",
} as const;

const statusTexts = (): Record<Update["status"], string> => ({
  waiting: t("waits for an approval"),
  pending: t("is written"),
  delivered: t("written"),
  failed: t("failed"),
  denied: t("denied"),
  expired: t("expired"),
});

/** Says what an update does, and where. */
function describeEffect({ provider, site, target }: WriteBack, action: Action): string {
  const place = { target, provider: `${providerLabels[provider]} (${site})` };
  if (action === "note") return t("Adds a note to {target} in {provider}.", place);
  return action === "resolve"
    ? t("Resolves {target} in {provider}.", place)
    : t("Acknowledges {target} in {provider}.", place);
}

function UpdateDialog({
  id,
  action,
  writeBack,
  onClose,
}: {
  readonly id: string;
  readonly action: Action;
  readonly writeBack: WriteBack;
  readonly onClose: () => void;
}) {
  const params = { path: { id } };
  const needsApprover = writeBack.actions[action] === "approve";
  return (
    <FormDialog
      title={actionTexts()[action]}
      action={actionTexts()[action]}
      schema={bodySchema("/v1/investigations/{id}/updates", "post")}
      fields={[
        action !== "acknowledge" && {
          name: "text",
          label: action === "note" ? t("Note") : t("Note (optional)"),
          rows: 4,
          isRequired: action === "note",
        },
      ]}
      resource="investigations:"
      savedText={needsApprover ? t("Someone else has to approve this.") : t("It is written now.")}
      onSave={async ({ text }) => {
        const body = { action, ...(text && { text }) };
        const { approval_id } = await api.POST("/v1/investigations/{id}/updates", { params, body });
        // This dialog names the effect, and its button is the confirmation.
        if (approval_id !== null && !needsApprover) {
          const approval = { path: { id: approval_id } };
          await api.POST("/v1/approvals/{id}/confirm", { params: approval, body: { decision: "approve" } });
        }
      }}
      onClose={onClose}
    >
      <p>{describeEffect(writeBack, action)}</p>
      {needsApprover && <p class="muted small">{t("Someone else has to approve it first.")}</p>}
    </FormDialog>
  );
}

/** Loads the updates of an incident, and where the next one would be written. */
export const useIncidentUpdates = (id: string) =>
  useResource(`investigations:updates:${id}`, () =>
    api.GET("/v1/investigations/{id}/updates", { params: { path: { id } } }),
  );

/** A confirmation reaches the update a moment after its request. */
const isChanging = ({ status, created_at }: Update) =>
  status === "pending" || (status === "waiting" && Date.now() - Date.parse(created_at) < 60_000);

/** Buttons that write to the service of an incident's alert, and the state of what was written. */
export function IncidentUpdates({ id, nameOf }: { readonly id: string; readonly nameOf: NameOf }) {
  const resource = useIncidentUpdates(id);
  const [action, setAction] = useState<Action | null>(null);
  const { write_back: writeBack, updates } = resource.value ?? { write_back: null, updates: [] };
  const isWriting = updates.some(isChanging);
  useEffect(() => {
    if (!isWriting) return;
    const timer = setInterval(resource.reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isWriting, resource.reload]);
  if (writeBack === null && updates.length === 0) return null;
  return (
    <section class="section stack tight">
      <h2>{t("Write back")}</h2>
      {writeBack && (
        <>
          <div class="row wrap">
            {(["acknowledge", "note", "resolve"] as const)
              .filter((each) => writeBack.actions[each])
              .map((each) => (
                <Button key={each} title={describeEffect(writeBack, each)} onClick={() => setAction(each)}>
                  {actionTexts()[each]}
                </Button>
              ))}
          </div>
          <p class="small muted">
            {t("To {target} in {provider}", {
              target: writeBack.target,
              provider: `${providerLabels[writeBack.provider]} (${writeBack.site})`,
            })}
          </p>
        </>
      )}
      <ul aria-live="polite">
        {updates.map((update) => (
          <li key={update.id}>
            <Badge kind={statusKinds[update.status]}>{statusTexts()[update.status]}</Badge>{" "}
            {actionTexts()[update.action]}
            {update.text && `: ${update.text}`}
            <div class="small muted">
              {nameOf(update.requested_by)},{" "}
              <time dateTime={update.created_at} title={formatDateTime(update.created_at)}>
                {formatAgo(update.created_at)}
              </time>
              {`, ${providerLabels[update.provider]}`}
              {update.error && ` · ${update.error}`}
              {update.error &&
                update.next_attempt_at &&
                ` · ${t("next attempt {when}", { when: formatDateTime(update.next_attempt_at) })}`}
            </div>
          </li>
        ))}
      </ul>
      {action && writeBack && (
        <UpdateDialog id={id} action={action} writeBack={writeBack} onClose={() => setAction(null)} />
      )}
    </section>
  );
}
