import * as v from "valibot";
import type { Severity } from "../../api/channels/webhooks.ts";
import { details, MAX_TEXT_LENGTH, optionalObject, optionalText, parsePayload, toTimestamp } from "./fields.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

const Text = optionalText(MAX_TEXT_LENGTH);
const Url = optionalText(2_000);

/** @see https://docs.github.com/en/webhooks/webhook-events-and-payloads */
const entries = {
  action: optionalText(),
  zen: Text,
  repository: v.fallback(optionalObject({ full_name: optionalText(), html_url: Url }), undefined),
  sender: v.fallback(optionalObject({ login: optionalText() }), undefined),
  alert: v.fallback(
    optionalObject({
      number: optionalText(),
      state: optionalText(),
      html_url: Url,
      created_at: optionalText(),
      updated_at: optionalText(),
      secret_type_display_name: optionalText(),
      rule: v.fallback(
        optionalObject({ description: Text, severity: optionalText(), security_severity_level: optionalText() }),
        undefined,
      ),
      security_advisory: v.fallback(
        optionalObject({ summary: Text, description: Text, severity: optionalText(), ghsa_id: optionalText() }),
        undefined,
      ),
    }),
    undefined,
  ),
  workflow_run: v.fallback(
    optionalObject({
      id: optionalText(),
      name: optionalText(),
      conclusion: optionalText(),
      status: optionalText(),
      html_url: Url,
      head_branch: optionalText(),
      updated_at: optionalText(),
    }),
    undefined,
  ),
};

const severities: Readonly<Record<string, Severity>> = {
  critical: "critical",
  high: "high",
  error: "high",
  moderate: "medium",
  medium: "medium",
  warning: "medium",
  low: "low",
  note: "low",
  failure: "high",
  timed_out: "high",
};

const states: Readonly<Record<string, AlertState>> = {
  created: "open",
  appeared_in_branch: "open",
  reopened: "open",
  reopened_by_user: "open",
  reintroduced: "open",
  auto_reopened: "open",
  fixed: "resolved",
  resolved: "resolved",
  dismissed: "resolved",
  auto_dismissed: "resolved",
  closed_by_user: "resolved",
};

/** GitHub: code scanning, Dependabot and secret scanning alerts, and workflow runs. */
export const githubAdapter: AlertAdapter = {
  provider: "github",
  label: "GitHub",
  matches: (_, headers) => "x-github-event" in headers,
  fields: [
    ...Object.keys(entries),
    "organization",
    "enterprise",
    "installation",
    "ref",
    "commit_oid",
    "workflow",
    "hook",
    "hook_id",
  ],
  normalize(payload, { nowMs, newAlertId }) {
    const { action, zen, repository, sender, alert, workflow_run: run } = parsePayload(v.looseObject(entries), payload);
    const isTest = zen !== undefined && zen !== null;
    const level =
      alert?.rule?.security_severity_level ??
      alert?.security_advisory?.severity ??
      alert?.rule?.severity ??
      run?.conclusion;
    const secretTitle = alert?.secret_type_display_name ? `Secret exposed: ${alert.secret_type_display_name}` : null;
    const runTitle = run ? `Workflow ${run.name}: ${run.conclusion ?? run.status}` : null;
    const title = alert?.security_advisory?.summary ?? alert?.rule?.description ?? secretTitle ?? runTitle ?? null;
    const id = alert?.number ? `${repository?.full_name}#${alert.number}` : (run?.id ?? null);
    const runState = run?.conclusion === "success" ? "resolved" : run?.conclusion ? "open" : null;
    const state = run ? runState : (states[action ?? ""] ?? null);
    const fallbackTitle = `${action ?? "Event"} in ${repository?.full_name ?? "GitHub"}`;
    return {
      alert: {
        provider: "github",
        severity:
          severities[level ?? ""] ?? (secretTitle ? "critical" : isTest || runState === "resolved" ? "low" : "medium"),
        title: title ?? (isTest ? "GitHub sent a test event." : fallbackTitle),
        description: alert?.security_advisory?.description || title || zen || fallbackTitle,
        alert_id: id ?? newAlertId,
        triggered_at: toTimestamp(alert?.updated_at ?? alert?.created_at ?? run?.updated_at, nowMs),
        state,
        is_test: isTest,
        details: details({
          Event: action,
          State: state,
          Repository: repository?.full_name,
          Severity: level,
          Advisory: alert?.security_advisory?.ghsa_id,
          Branch: run?.head_branch,
          By: sender?.login,
        }),
        link: alert?.html_url ?? run?.html_url ?? repository?.html_url ?? null,
        metadata: { title, action: action ?? null, repository: repository?.full_name ?? null },
      },
      eventKey: null,
      incident: alert?.number ? id : null,
    };
  },
};
