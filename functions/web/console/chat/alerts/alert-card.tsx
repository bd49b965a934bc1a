import type { ComponentChildren } from "preact";
import type { Message } from "../../../../../shared/api/conversations/messages.ts";
import { nameProvider } from "../../lib/codes/alert-providers.ts";
import { severityKinds, severityTexts, stateTexts } from "../../lib/codes/server-texts.ts";
import { formatAgo, formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { Badge } from "../../ui/status.tsx";
import { withoutTitle } from "./without-title.ts";

type Kind = "danger" | "warning" | "success" | "accent" | "";

const stateKinds: Readonly<Record<string, Kind>> = { open: "danger", acknowledged: "warning", resolved: "success" };

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns the fields of an alert that its card shows. */
function readAlert({ alert, created_at }: Message) {
  const details = (alert?.details ?? {}) as Readonly<Record<string, unknown>>;
  const description = asText(alert?.description).trim();
  const title = asText(alert?.title).trim() || description.split("\n", 1)[0] || "";
  return {
    state: asText(alert?.state),
    severity: asText(alert?.severity),
    title: title || t("Alert"),
    description: withoutTitle(description, title),
    service: asText(details.Service) || nameProvider(asText(alert?.provider)),
    since: asText(alert?.triggered_at) || created_at,
    isTest: alert?.is_test === true,
  };
}

/** Returns a key from title, service and severity. Consecutive alerts with the same key are shown as one group. */
export const storyOf = (message: Message): string => {
  const { title, service, severity } = readAlert(message);
  return JSON.stringify([title, service, severity]);
};

/**
 * Card of an alert. It shows state, severity, time, service, title and description, and the details when the user opens them.
 */
export function AlertCard({ message, children }: { readonly message: Message; readonly children: ComponentChildren }) {
  const { state, severity, title, description, service, since, isTest } = readAlert(message);
  const [stateLabel, severityLabel] = [stateTexts()[state as "open"], severityTexts()[severity as "low"] ?? severity];
  return (
    <div class={`alert-card ${state}`}>
      <div class="row wrap">
        {stateLabel && <Badge kind={stateKinds[state] ?? ""}>{stateLabel}</Badge>}
        <Badge kind={severityKinds[severity as "low"] ?? ""}>{severityLabel}</Badge>
        {isTest && <Badge>{t("Test")}</Badge>}
        <span class="muted small">
          <time dateTime={since} title={formatDateTime(since)}>
            {t("began {time}", { time: formatAgo(since) })}
          </time>
          {service && (
            <>
              {" · "}
              <bdi>{service}</bdi>
            </>
          )}
        </span>
      </div>
      <h2>{title}</h2>
      {description && <p class="truncate muted small">{description}</p>}
      <details>
        <summary>{t("Details")}</summary>
        {children}
      </details>
    </div>
  );
}
