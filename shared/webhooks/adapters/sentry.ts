import * as v from "valibot";
import type { Severity } from "../../api/webhooks/investigate.ts";
import { details, lenientObject, MAX_ALERT_TEXT_LENGTH, optionalText, parsePayload, toTimestamp } from "./fields.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

const Text = optionalText(MAX_ALERT_TEXT_LENGTH);
const Url = optionalText(2_000);
const Project = lenientObject({ name: optionalText(), slug: optionalText() });

const Metadata = lenientObject({ value: Text });

const SentryEvent = lenientObject({
  event_id: optionalText(),
  issue_id: optionalText(),
  title: Text,
  message: Text,
  level: optionalText(),
  culprit: Text,
  web_url: Url,
  datetime: optionalText(),
  environment: optionalText(),
  release: optionalText(),
  metadata: Metadata,
});

/** @see https://docs.sentry.io/organization/integrations/integration-platform/webhooks/ */
const entries = {
  action: optionalText(),
  actor: lenientObject({ name: optionalText() }),
  data: v.looseObject({
    triggered_rule: optionalText(1_000),
    description_title: Text,
    description_text: Text,
    web_url: Url,
    event: SentryEvent,
    // Webhooks of the resource `error` contain the event under this name.
    error: SentryEvent,
    comment: Text,
    comment_id: optionalText(),
    issue_id: optionalText(),
    project_slug: optionalText(),
    timestamp: optionalText(),
    issue: lenientObject({
      id: optionalText(),
      title: Text,
      level: optionalText(),
      status: optionalText(),
      culprit: Text,
      web_url: Url,
      permalink: Url,
      shortId: optionalText(),
      count: optionalText(),
      userCount: optionalText(),
      assignedTo: lenientObject({ name: optionalText(), email: optionalText() }),
      metadata: Metadata,
      lastSeen: optionalText(),
      project: Project,
    }),
    metric_alert: lenientObject({
      id: optionalText(),
      title: Text,
      date_started: optionalText(),
      date_closed: optionalText(),
      projects: v.fallback(v.nullish(v.array(v.string())), undefined),
      alert_rule: lenientObject({ name: optionalText(1_000), aggregate: optionalText(), query: optionalText(1_000) }),
    }),
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

/** Adapter for Sentry's integration platform: issues, errors, events and metric alerts. */
export const sentryAdapter: AlertAdapter = {
  provider: "sentry",
  label: "Sentry",
  matches: ({ action, data, installation }, headers) =>
    "sentry-hook-resource" in headers ||
    (typeof action === "string" && [data, installation].every((value) => typeof value === "object" && value !== null)),
  fields: [...Object.keys(entries), "installation"],
  normalize(payload, { nowMs, newAlertId }) {
    const { action, data, actor } = parsePayload(v.looseObject(entries), payload);
    const { issue, metric_alert } = data;
    const event = data.event ?? data.error;
    const rule = metric_alert?.alert_rule;
    const state = data.comment ? null : (states[action ?? ""] ?? states[issue?.status ?? ""] ?? null);
    const level = event?.level ?? issue?.level ?? (metric_alert ? action : null);
    const title = event?.title ?? issue?.title ?? data.description_title ?? metric_alert?.title ?? null;
    const incident = issue?.id ?? event?.issue_id ?? metric_alert?.id ?? data.issue_id ?? null;
    const text = event?.message || data.comment || data.description_text || event?.metadata?.value;
    const place = event?.culprit || issue?.culprit;
    return {
      alert: {
        severity: severities[level ?? ""] ?? "medium",
        title,
        description: text || issue?.metadata?.value || place || title || "(no description)",
        alert_id: event?.event_id ?? incident ?? newAlertId,
        triggered_at: toTimestamp(
          event?.datetime ??
            issue?.lastSeen ??
            metric_alert?.date_closed ??
            metric_alert?.date_started ??
            data.timestamp,
          nowMs,
        ),
        state,
        details: details({
          Event: action,
          State: state,
          Level: level,
          Rule: data.triggered_rule ?? rule?.name,
          Query: [rule?.aggregate, rule?.query].filter(Boolean).join(" "),
          Project: issue?.project?.name ?? issue?.project?.slug ?? data.project_slug,
          Projects: metric_alert?.projects?.join(", "),
          "Assigned to": issue?.assignedTo?.name ?? issue?.assignedTo?.email,
          Issue: issue?.shortId,
          Events: issue?.count,
          Users: issue?.userCount,
          Environment: event?.environment,
          Release: event?.release,
          Location: place,
          By: actor?.name,
        }),
        link: event?.web_url ?? issue?.web_url ?? issue?.permalink ?? data.web_url ?? null,
        metadata: { title, action: action ?? null, issue_id: incident },
      },
      eventKey: event?.event_id ? JSON.stringify([event.event_id, action, data.triggered_rule ?? null]) : null,
      incident,
    };
  },
};
