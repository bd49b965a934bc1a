import * as v from "valibot";
import type { Severity } from "../../api/webhooks/investigate.ts";
import {
  details,
  lenientObject,
  MAX_ALERT_TEXT_LENGTH,
  optionalText,
  parsePayload,
  toFacts,
  toTimestamp,
} from "./fields.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

const Responder = v.looseObject({ name: optionalText(), username: optionalText(), type: optionalText() });

/** @see https://support.atlassian.com/opsgenie/docs/opsgenie-edge-connector-alert-action-data/ */
const entries = {
  action: optionalText(),
  alert: v.looseObject({
    alertId: optionalText(),
    tinyId: optionalText(),
    message: optionalText(MAX_ALERT_TEXT_LENGTH),
    description: optionalText(MAX_ALERT_TEXT_LENGTH),
    priority: optionalText(),
    entity: optionalText(1_000),
    alias: optionalText(1_000),
    source: optionalText(1_000),
    note: optionalText(MAX_ALERT_TEXT_LENGTH),
    username: optionalText(),
    createdAt: optionalText(),
    updatedAt: optionalText(),
    tags: v.fallback(v.nullish(v.array(v.string())), undefined),
    owner: optionalText(),
    recipient: optionalText(),
    team: optionalText(),
    responders: v.fallback(v.nullish(v.array(Responder)), undefined),
    details: v.fallback(v.nullish(v.record(v.string(), v.unknown())), undefined),
  }),
  source: lenientObject({ name: optionalText() }),
  integrationName: optionalText(),
};

const severities: Readonly<Record<string, Severity>> = {
  P1: "critical",
  P2: "high",
  P3: "medium",
  P4: "low",
  P5: "low",
};
const states: Readonly<Record<string, AlertState>> = {
  Create: "open",
  UnAcknowledge: "open",
  Acknowledge: "acknowledged",
  Close: "resolved",
  Delete: "resolved",
};

/** Adapter for Opsgenie's outgoing webhooks. */
export const opsgenieAdapter: AlertAdapter = {
  provider: "opsgenie",
  label: "Opsgenie",
  matches: ({ action, alert }) =>
    typeof action === "string" && typeof alert === "object" && alert !== null && "alertId" in alert,
  fields: [...Object.keys(entries), "integrationId", "integrationType"],
  normalize(payload, { nowMs, newAlertId }) {
    const { action, alert, source } = parsePayload(v.looseObject(entries), payload);
    const state = states[action ?? ""] ?? null;
    const priority = /^[1-5]$/.test(alert.priority ?? "") ? `P${alert.priority}` : alert.priority;
    const responders = alert.responders?.flatMap(({ name, username }) => name ?? username ?? []).join(", ");
    return {
      alert: {
        severity: severities[priority ?? ""] ?? "medium",
        title: alert.message ?? null,
        description: alert.description || alert.note || alert.message || "(no description)",
        alert_id: alert.alertId ?? newAlertId,
        triggered_at: toTimestamp(alert.updatedAt ?? alert.createdAt, nowMs),
        state,
        details: details(
          {
            Event: action,
            State: state,
            Priority: priority,
            "Assigned to": alert.owner,
            Recipient: alert.recipient,
            Team: alert.team,
            Responders: responders,
            Entity: alert.entity,
            Source: alert.source ?? source?.name,
            By: alert.username,
            Tags: alert.tags?.join(", "),
            Note: alert.note,
          },
          toFacts(alert.details),
        ),
        link: null,
        metadata: { title: alert.message ?? null, action: action ?? null, alias: alert.alias ?? null },
      },
      eventKey: JSON.stringify([alert.alertId, action, alert.updatedAt ?? null, alert.note ?? null]),
      incident: alert.alertId ?? null,
    };
  },
};
