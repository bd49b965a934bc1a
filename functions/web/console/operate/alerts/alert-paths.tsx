import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { severityTexts, stateTexts } from "../../lib/codes/server-texts.ts";
import { formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { showError } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Badge } from "../../ui/status.tsx";

type Reply = ReplyOf<"/v1/webhooks/{channel_id}", "patch">;

const pathTexts = () => ({
  text: [t("Text"), "data.alerts.0.summary"] as const,
  title: [t("Title"), "data.alerts.0.title"] as const,
  severity: [t("Severity"), "data.alerts.0.level"] as const,
  link: [t("Link"), "data.alerts.0.url"] as const,
  id: [t("Id of the incident"), "data.alerts.0.incident_id"] as const,
  state: [t("State"), "data.alerts.0.status"] as const,
  time: [t("Time"), "data.alerts.0.updated_at"] as const,
  "states.open": [t("Words for open, separated by commas"), "DOWN"] as const,
  "states.acknowledged": [t("Words for acknowledged"), "ACK"] as const,
  "states.resolved": [t("Words for resolved"), "UP"] as const,
});

/** Dialog for the paths to the parts of an alert, with a preview of the last delivery of unknown form. */
export function AlertPathsDialog({
  channelId,
  paths: stored,
  onClose,
}: {
  readonly channelId: string;
  readonly paths: Reply["paths"];
  readonly onClose: () => void;
}) {
  /** Alert of the last delivery of unknown form; null if there is none, undefined before it was requested. */
  const [preview, setPreview] = useState<Reply["preview"] | undefined>(undefined);
  const update = ({ states = {}, ...parts }: NonNullable<Reply["paths"]> = {}, dry_run = false) => {
    const words = Object.entries(states).filter(([, list]) => list.length > 0);
    const paths = { ...parts, ...(words.length > 0 && { states: Object.fromEntries(words) }) };
    const body = { paths: Object.keys(paths).length > 0 ? paths : null, dry_run };
    return api.PATCH("/v1/webhooks/{channel_id}", { params: { path: { channel_id: channelId } }, body });
  };
  const texts = pathTexts();
  return (
    <FormDialog
      title={t("Fields of the alert")}
      schema={bodySchema("/v1/webhooks/{channel_id}", "patch")}
      value={{ paths: stored }}
      fields={(_, read) => [
        ...(Object.keys(texts) as (keyof typeof texts)[]).map((part) => ({
          name: `paths.${part}` as const,
          label: texts[part][0],
          placeholder: texts[part][1],
          onChange: () => {
            setPreview(undefined);
            return {};
          },
        })),
        <div key="preview">
          <Button
            isSmall
            onClick={() =>
              update((read() as Pick<Reply, "paths">).paths ?? {}, true).then(
                (reply) => setPreview(reply.preview),
                showError,
              )
            }
          >
            {t("Show the last delivery of unknown form")}
          </Button>
        </div>,
        <div key="result" role="status">
          {preview === null && <p class="muted">{t("There is no delivery of unknown form.")}</p>}
          {preview && <Preview preview={preview} />}
        </div>,
      ]}
      resource={`webhooks:${channelId}`}
      savedText={t("Saved.")}
      onSave={({ paths }) => update(paths ?? {})}
      onClose={onClose}
    >
      <p class="muted small">
        {t(
          "Where a tool that is not known sends the parts of an alert: names and positions joined by dots, such as {path}.",
          { path: "data.alerts.0.summary" },
        )}
      </p>
    </FormDialog>
  );
}

function Preview({ preview }: { readonly preview: NonNullable<Reply["preview"]> }) {
  const { severity, state, received_at, title, description, link } = preview;
  return (
    <div class="card stack tight">
      <div class="row wrap">
        <Badge>{severityTexts()[severity]}</Badge>
        {state && <Badge>{stateTexts()[state]}</Badge>}
        <span class="small muted">{formatDateTime(received_at)}</span>
      </div>
      {title && <strong>{title}</strong>}
      <p>{description}</p>
      {link && <p class="small mono truncate">{link}</p>}
    </div>
  );
}
