import * as v from "valibot";
import type { Severity } from "../../api/webhooks/investigate.ts";
import { details, MAX_ALERT_TEXT_LENGTH, optionalText, parsePayload, toTimestamp } from "./fields.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

const Targets = v.fallback(
  v.nullish(v.array(v.looseObject({ name: optionalText(), type: optionalText(), product: optionalText() }))),
  undefined,
);

/** @see https://docs.newrelic.com/docs/alerts-applied-intelligence/notifications/notification-integrations/ (legacy webhook) */
const entries = {
  account_name: optionalText(),
  account_id: optionalText(),
  condition_name: optionalText(1_000),
  current_state: optionalText(),
  details: optionalText(MAX_ALERT_TEXT_LENGTH),
  duration: optionalText(),
  event_type: optionalText(),
  incident_id: optionalText(),
  incident_url: optionalText(2_000),
  owner: optionalText(),
  policy_name: optionalText(1_000),
  runbook_url: optionalText(2_000),
  severity: optionalText(),
  targets: Targets,
  timestamp: optionalText(),
};

const severities: Readonly<Record<string, Severity>> = { CRITICAL: "critical", WARNING: "medium", INFO: "low" };

const states: Readonly<Record<string, AlertState>> = {
  open: "open",
  acknowledged: "acknowledged",
  closed: "resolved",
};

/** Adapter for New Relic's notification channels, which preceded its workflows. */
export const newRelicLegacyAdapter: AlertAdapter = {
  provider: "new-relic",
  label: "New Relic",
  matches: (payload) => "condition_name" in payload && "current_state" in payload,
  fields: Object.keys(entries),
  normalize(payload, { nowMs, newAlertId }) {
    const incident = parsePayload(v.looseObject(entries), payload);
    const { account_id, incident_id, condition_name, policy_name, current_state } = incident;
    const targets = (incident.targets ?? []).flatMap(({ name, type }) => name || type || []);
    const id = incident_id ? `${account_id}/${incident_id}` : null;
    return {
      alert: {
        severity: severities[incident.severity ?? ""] ?? "medium",
        title: condition_name ?? null,
        description: incident.details || condition_name || "(no description)",
        alert_id: incident_id ?? newAlertId,
        triggered_at: toTimestamp(incident.timestamp, nowMs),
        state: states[current_state ?? ""] ?? null,
        is_test: incident_id === "0",
        details: details({
          State: current_state,
          Severity: incident.severity,
          Condition: condition_name,
          Policy: policy_name,
          Account: incident.account_name,
          "Assigned to": incident.owner,
          Entities: targets.join(", "),
          Runbook: incident.runbook_url,
        }),
        link: incident.incident_url ?? null,
        metadata: { title: condition_name ?? null, state: current_state ?? null },
      },
      eventKey: id ? JSON.stringify([id, current_state, incident.timestamp ?? null]) : null,
      incident: id,
    };
  },
};
