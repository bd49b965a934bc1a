import type { EventType } from "../../../../../shared/api/events/event-data.ts";
import { tracedTypes } from "../../../../../shared/api/events/traced-types.ts";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { t } from "../../lib/i18n.ts";
import { api } from "../../session/session.ts";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
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
  const params = { path: { id: endpoint?.id ?? "" } };
  const eventsOf = (isTrace: boolean) =>
    (Object.entries(eventTexts()) as [EventType, string][]).filter(([type]) => !isTrace || tracedTypes.includes(type));
  return (
    <FormDialog
      title={endpoint ? t("Change the endpoint") : t("New endpoint")}
      action={endpoint ? t("Save") : t("Create")}
      isWide
      schema={bodySchema("/v1/event-endpoints", "post")}
      value={endpoint ?? { types: ["run.failed", "approval.requested", "budget.reached"] }}
      fields={(get) => {
        const format = get("format") as Endpoint["format"];
        return [
          { name: "url", label: t("Address"), type: "url", placeholder: placeholders[format] },
          { name: "description", label: t("Description") },
          {
            name: "format",
            label: t("Form"),
            options: formatTexts(),
            onChange: (changed) => (changed === "otlp" ? { types: tracedTypes } : {}),
          },
          format === "otlp" && {
            name: "headers",
            label: t("Headers for the collector"),
            type: "password",
            placeholder: "authorization=Bearer%20…",
            hint:
              endpoint?.format === "otlp"
                ? t("Empty to keep the present ones; another site needs them again")
                : t("name=value pairs, separated by commas, values URL-encoded"),
          },
          format === "otlp" && {
            name: "include_content",
            label: t("Include questions and answers, without personal data in known formats"),
          },
          { name: "types", label: t("Events"), options: eventsOf(format === "otlp"), describeOption: (type) => type },
        ];
      }}
      resource="event-endpoints"
      onSave={async ({ types, headers, ...body }): Promise<{ readonly id: string; readonly secret?: string }> => {
        const offered: readonly string[] = eventsOf(body.format === "otlp").map(([type]) => type);
        const values = { ...body, types: types.filter((type) => offered.includes(type)), ...(headers && { headers }) };
        return endpoint
          ? api.PATCH("/v1/event-endpoints/{id}", { params, body: values })
          : api.POST("/v1/event-endpoints", { body: values });
      }}
      renderResult={({ secret }, get) =>
        secret && get("format") === "standard"
          ? {
              title: t("The endpoint is ready"),
              content: (
                <>
                  <CodeSnippet title={t("Secret. It is shown only once.")} code={secret} />
                  <p class="muted small">
                    {t("Verify the signature of each event with it, by a library of Standard Webhooks.")}
                  </p>
                </>
              ),
            }
          : null
      }
      onSaved={({ id }) => onDone(id)}
      onClose={onClose}
    />
  );
}
