import * as v from "valibot";
import type { Severity } from "../../api/webhooks/investigate.ts";
import { details, MAX_ALERT_TEXT_LENGTH, optionalText, parsePayload, toTimestamp } from "./fields.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

const Names = v.fallback(v.nullish(v.array(v.string())), undefined);

/** @see https://docs.newrelic.com/docs/alerts/get-notified/notification-integrations/ (default webhook template) */
const entries = {
  id: optionalText(),
  issueUrl: optionalText(2_000),
  title: optionalText(MAX_ALERT_TEXT_LENGTH),
  priority: optionalText(),
  state: optionalText(),
  trigger: optionalText(),
  createdAt: optionalText(),
  updatedAt: optionalText(),
  workflowName: optionalText(),
  owner: optionalText(),
  totalIncidents: optionalText(),
  impactedEntities: Names,
  alertPolicyNames: Names,
  alertConditionNames: Names,
};

const severities: Readonly<Record<string, Severity>> = {
  CRITICAL: "critical",
  HIGH: "high",
  MEDIUM: "medium",
  LOW: "low",
};

const states: Readonly<Record<string, AlertState>> = {
  CREATED: "open",
  ACTIVATED: "open",
  ACKNOWLEDGED: "acknowledged",
  CLOSED: "resolved",
};

/** Adapter for New Relic's workflows with the default template. */
export const newRelicAdapter: AlertAdapter = {
  provider: "new-relic",
  label: "New Relic",
  matches: (payload) => "issueUrl" in payload || ("workflowName" in payload && "alertPolicyNames" in payload),
  fields: [...Object.keys(entries), "isCorrelated", "sources"],
  normalize(payload, { nowMs, newAlertId }) {
    const issue = parsePayload(v.looseObject(entries), payload);
    const state = states[issue.state ?? ""] ?? null;
    const entities = issue.impactedEntities?.join(", ");
    return {
      alert: {
        severity: severities[issue.priority ?? ""] ?? "medium",
        title: issue.title ?? null,
        description:
          [issue.title, entities && `Affects ${entities}.`].filter(Boolean).join("\n\n") || "(no description)",
        alert_id: issue.id ?? newAlertId,
        triggered_at: toTimestamp(issue.updatedAt ?? issue.createdAt, nowMs),
        state,
        details: details({
          State: state,
          Priority: issue.priority,
          "Assigned to": issue.owner === "N/A" ? null : issue.owner,
          Trigger: issue.trigger,
          Incidents: issue.totalIncidents,
          Entities: entities,
          Policies: issue.alertPolicyNames?.join(", "),
          Conditions: issue.alertConditionNames?.join(", "),
          Workflow: issue.workflowName,
        }),
        link: issue.issueUrl ?? null,
        metadata: { title: issue.title ?? null, state: issue.state ?? null },
      },
      eventKey: issue.id ? JSON.stringify([issue.id, issue.state, issue.updatedAt ?? null]) : null,
      incident: issue.id ?? null,
    };
  },
};
