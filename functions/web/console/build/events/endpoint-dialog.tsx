import { useState } from "preact/hooks";
import type { EventType } from "../../../../../shared/api/events/event-data.ts";
import { tracedTypes } from "../../../../../shared/api/events/traced-types.ts";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { invalidate } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../ui/fields.tsx";
import { Form, FormActions } from "../../ui/form.tsx";
import { eventTexts } from "./event-texts.ts";

type Endpoint = ReplyOf<"/v1/event-endpoints", "get">["endpoints"][number];

const formatTexts = (): Record<Endpoint["format"], string> => ({
  standard: t("Signed JSON (Standard Webhooks)"),
  slack: t("Message in Slack (incoming webhook)"),
  teams: t("Message in Microsoft Teams (incoming webhook)"),
  otlp: t("Traces of answers (OpenTelemetry collector)"),
});

const placeholders: Readonly<Record<Endpoint["format"], string>> = {
  standard: "https://example.com/events",
  slack: "https://hooks.slack.com/services/…",
  teams: "https://example.com/events",
  otlp: "https://otlp.example.com",
};

/** Dialog that adds an endpoint, and then shows its secret, or changes one. */
export function EndpointDialog({
  endpoint,
  onClose,
  onDone = onClose,
}: {
  /** Endpoint to change; null for a new one. */
  readonly endpoint: Endpoint | null;
  readonly onClose: () => void;
  /** Called with the id of a new endpoint, when its secret was shown. */
  readonly onDone?: (id: string) => void;
}) {
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const [format, setFormat] = useState(endpoint?.format ?? "standard");
  const [headers, setHeaders] = useState("");
  const [hasContent, setContent] = useState(endpoint?.include_content ?? false);
  const [types, setTypes] = useState<readonly EventType[]>(
    endpoint?.types ?? ["run.failed", "approval.requested", "budget.reached"],
  );
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const isTrace = format === "otlp";
  const offered = (Object.entries(eventTexts()) as [EventType, string][]).filter(
    ([type]) => !isTrace || tracedTypes.includes(type),
  );
  const chosen = types.filter((type) => !isTrace || tracedTypes.includes(type));
  const changeFormat = (changed: Endpoint["format"]) => {
    setFormat(changed);
    if (changed === "otlp") setTypes(tracedTypes);
  };
  const save = async () => {
    const trace = isTrace ? { include_content: hasContent, ...(headers !== "" && { headers }) } : {};
    const body = { url, description: description || null, format, types: chosen, ...trace };
    if (endpoint) {
      await api.PATCH("/v1/event-endpoints/{id}", { params: { path: { id: endpoint.id } }, body });
      onClose();
    } else {
      const added = await api.POST("/v1/event-endpoints", { body });
      if (format === "standard") setCreated(added);
      else onDone(added.id);
    }
    invalidate("event-endpoints");
  };
  const title = endpoint ? t("Change the endpoint") : t("New endpoint");
  if (created) {
    const { id, secret } = created;
    return (
      <Dialog title={t("The endpoint is ready")} onClose={() => onDone(id)} isWide>
        <CodeSnippet title={t("Secret. It is shown only once.")} code={secret} />
        <p class="muted small">{t("Verify the signature of each event with it, by a library of Standard Webhooks.")}</p>
        <div class="actions">
          <Button kind="primary" onClick={() => onDone(id)}>
            {t("Done")}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <Form onSubmit={save}>
        <TextField
          label={t("Address")}
          name="url"
          type="url"
          placeholder={placeholders[format]}
          value={url}
          onValue={setUrl}
          required
          autoFocus
        />
        <TextField
          label={t("Description")}
          name="description"
          value={description}
          onValue={setDescription}
          maxLength={200}
        />
        <SelectField
          label={t("Form")}
          name="format"
          value={format}
          onValue={changeFormat}
          options={Object.entries(formatTexts()) as [Endpoint["format"], string][]}
        />
        {isTrace && (
          <>
            <TextField
              label={t("Headers for the collector")}
              name="headers"
              type="password"
              placeholder="authorization=Bearer%20…"
              hint={
                endpoint?.format === "otlp"
                  ? t("Empty to keep the present ones; another site needs them again")
                  : t("name=value pairs, separated by commas, values URL-encoded")
              }
              value={headers}
              onValue={setHeaders}
            />
            <CheckField
              label={t("Include questions and answers, without personal data in known formats")}
              checked={hasContent}
              onValue={setContent}
            />
          </>
        )}
        <fieldset>
          <legend class="label">{t("Events")}</legend>
          <div class="checks">
            {offered.map(([type, text]) => (
              <CheckField
                key={type}
                label={text}
                hint={type}
                checked={types.includes(type)}
                onValue={(isOn) => setTypes(isOn ? [...types, type] : types.filter((each) => each !== type))}
              />
            ))}
          </div>
        </fieldset>
        <FormActions>
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="primary" type="submit" disabled={chosen.length === 0}>
            {endpoint ? t("Save") : t("Create")}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
