import * as v from "valibot";
import type { Severity } from "../../api/channels/webhooks.ts";
import { details, MAX_TEXT_LENGTH, optionalObject, optionalText, parsePayload, toTimestamp } from "./fields.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

const Text = optionalText(MAX_TEXT_LENGTH);
const Url = optionalText(2_000);
const Project = v.fallback(optionalObject({ name: optionalText(), slug: optionalText() }), undefined);

/** @see https://docs.sentry.io/organization/integrations/integration-platform/webhooks/ */
const entries = {
  action: optionalText(),
  data: v.looseObject({
    triggered_rule: optionalText(1_000),
    description_title: Text,
    description_text: Text,
    web_url: Url,
    event: v.fallback(
      optionalObject({
        event_id: optionalText(),
        issue_id: optionalText(),
        title: Text,
        message: Text,
        level: optionalText(),
        culprit: Text,
        web_url: Url,
        datetime: optionalText(),
        environment: optionalText(),
      }),
      undefined,
    ),
    issue: v.fallback(
      optionalObject({
        id: optionalText(),
        title: Text,
        level: optionalText(),
        status: optionalText(),
        culprit: Text,
        web_url: Url,
        permalink: Url,
        lastSeen: optionalText(),
        project: Project,
      }),
      undefined,
    ),
    metric_alert: v.fallback(
      optionalObject({ id: optionalText(), title: Text, date_started: optionalText() }),
      undefined,
    ),
  }),
};

const severities: Readonly<Record<string, Severity>> = {
  fatal: "critical",
  critical: "critical",
  error: "high",
  warning: "medium",
  info: "low",
  debug: "low",
};

const states: Readonly<Record<string, AlertState>> = {
  created: "open",
  triggered: "open",
  unresolved: "open",
  critical: "open",
  warning: "open",
  resolved: "resolved",
  ignored: "acknowledged",
  archived: "acknowledged",
  assigned: "acknowledged",
};

/** Sentry's integration platform: issue, error, event and metric alerts. */
export const sentryAdapter: AlertAdapter = {
  provider: "sentry",
  label: "Sentry",
  matches: (_, headers) => "sentry-hook-resource" in headers,
  fields: [...Object.keys(entries), "installation", "actor"],
  normalize(payload, { nowMs, newAlertId }) {
    const { action, data } = parsePayload(v.looseObject(entries), payload);
    const { event, issue, metric_alert } = data;
    const state = states[action ?? ""] ?? null;
    const level = event?.level ?? issue?.level ?? (metric_alert ? action : null);
    const title = event?.title ?? issue?.title ?? data.description_title ?? metric_alert?.title ?? null;
    const incident = issue?.id ?? event?.issue_id ?? metric_alert?.id ?? null;
    return {
      alert: {
        provider: "sentry",
        severity: severities[level ?? ""] ?? "medium",
        title,
        description:
          event?.message || data.description_text || event?.culprit || issue?.culprit || title || "(no description)",
        alert_id: event?.event_id ?? incident ?? newAlertId,
        triggered_at: toTimestamp(event?.datetime ?? issue?.lastSeen ?? metric_alert?.date_started, nowMs),
        state,
        is_test: false,
        details: details({
          Event: action,
          State: state,
          Level: level,
          Rule: data.triggered_rule,
          Project: issue?.project?.name ?? issue?.project?.slug,
          Environment: event?.environment,
          Location: event?.culprit ?? issue?.culprit,
        }),
        link: event?.web_url ?? issue?.web_url ?? issue?.permalink ?? data.web_url ?? null,
        metadata: { title, action: action ?? null, issue_id: incident },
      },
      eventKey: event?.event_id ? JSON.stringify([event.event_id, action, data.triggered_rule ?? null]) : null,
      incident,
    };
  },
};
