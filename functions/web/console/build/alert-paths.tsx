import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { TextField } from "../ui/fields.tsx";
import { EditDialog } from "../ui/form.tsx";
import { Badge } from "../ui/status.tsx";

type Reply = ReplyOf<"/v1/webhooks/{channel_id}", "patch">;
type Paths = NonNullable<Reply["paths"]>;

const states = ["open", "acknowledged", "resolved"] as const;

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
  const { states: storedWords, ...storedPaths } = stored ?? {};
  const [paths, setPaths] = useState<Omit<Paths, "states">>(storedPaths);
  /** Words by state, separated by commas. */
  const [words, setWords] = useState<Record<string, string>>(
    Object.fromEntries(states.map((state) => [state, storedWords?.[state]?.join(", ") ?? ""])),
  );
  /** Alert of the last delivery of unknown form; null if there is none, undefined before it was requested. */
  const [preview, setPreview] = useState<Reply["preview"] | undefined>(undefined);
  const update = (dry_run: boolean) => {
    const entries: [string, unknown][] = Object.entries(paths).flatMap(([part, path]) =>
      path.trim() ? [[part, path.trim()]] : [],
    );
    const wordEntries = Object.entries(words).flatMap(([state, text]) => {
      const list = text.split(",").flatMap((word) => word.trim() || []);
      return list.length > 0 ? [[state, list]] : [];
    });
    if (wordEntries.length > 0) entries.push(["states", Object.fromEntries(wordEntries)]);
    const body = { paths: entries.length > 0 ? (Object.fromEntries(entries) as Paths) : null, dry_run };
    return api.PATCH("/v1/webhooks/{channel_id}", { params: { path: { channel_id: channelId } }, body });
  };
  const field = (part: keyof typeof paths, label: string, placeholder: string) => (
    <TextField
      label={label}
      name={`paths.${part}`}
      placeholder={placeholder}
      value={paths[part] ?? ""}
      onValue={(path) => {
        setPaths({ ...paths, [part]: path });
        setPreview(undefined);
      }}
    />
  );
  const wordField = (state: (typeof states)[number], label: string, placeholder: string) => (
    <TextField
      label={label}
      name={`paths.states.${state}`}
      placeholder={placeholder}
      value={words[state] ?? ""}
      onValue={(text) => {
        setWords({ ...words, [state]: text });
        setPreview(undefined);
      }}
    />
  );
  return (
    <EditDialog
      title={t("Fields of the alert")}
      onSave={async () => {
        await update(false);
        invalidate(`webhooks:${channelId}`);
        showToast(t("Saved."));
      }}
      onClose={onClose}
    >
      <p class="muted small">
        {t(
          "Where a tool that is not known sends the parts of an alert: names and positions joined by dots, such as {path}.",
          { path: "data.alerts.0.summary" },
        )}
      </p>
      {field("text", t("Text"), "data.alerts.0.summary")}
      {field("title", t("Title"), "data.alerts.0.title")}
      {field("severity", t("Severity"), "data.alerts.0.level")}
      {field("link", t("Link"), "data.alerts.0.url")}
      {field("id", t("Id of the incident"), "data.alerts.0.incident_id")}
      {field("state", t("State"), "data.alerts.0.status")}
      {field("time", t("Time"), "data.alerts.0.updated_at")}
      {wordField("open", t("Words for open, separated by commas"), "DOWN")}
      {wordField("acknowledged", t("Words for acknowledged"), "ACK")}
      {wordField("resolved", t("Words for resolved"), "UP")}
      <div>
        <Button isSmall onClick={() => update(true).then((reply) => setPreview(reply.preview), showError)}>
          {t("Show the last delivery of unknown form")}
        </Button>
      </div>
      <div role="status">
        {preview === null && <p class="muted">{t("There is no delivery of unknown form.")}</p>}
        {preview && (
          <div class="card stack tight">
            <div class="row wrap">
              <Badge>{preview.severity}</Badge>
              {preview.state && <Badge>{preview.state}</Badge>}
              <span class="small muted">{formatDateTime(preview.received_at)}</span>
            </div>
            {preview.title && <strong>{preview.title}</strong>}
            <p>{preview.description}</p>
            {preview.link && <p class="small mono truncate">{preview.link}</p>}
          </div>
        )}
      </div>
    </EditDialog>
  );
}
