import * as v from "valibot";
import type { Severity } from "../../api/webhooks/investigate.ts";
import { details, parsePayload, toTimestamp } from "./fields.ts";
import { type GithubPayload, githubEntries } from "./github-payload.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

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
  success: "low",
};

const states: Readonly<Record<string, AlertState>> = {
  created: "open",
  appeared_in_branch: "open",
  reopened: "open",
  reopened_by_user: "open",
  reintroduced: "open",
  auto_reopened: "open",
  opened: "open",
  fixed: "resolved",
  resolved: "resolved",
  dismissed: "resolved",
  auto_dismissed: "resolved",
  closed_by_user: "resolved",
  closed: "resolved",
};

type Text = string | null | undefined;

/** Part of an event that the alert describes, such as a workflow run. */
interface Subject {
  readonly title: Text;
  readonly text?: Text;
  /** Severity, conclusion or state in GitHub's words, from which the alert's severity is derived. */
  readonly level?: Text;
  readonly severity?: Severity;
  readonly state?: AlertState | null;
  readonly id?: Text;
  readonly time?: Text;
  readonly link?: Text;
  readonly details?: Readonly<Record<string, Text>>;
}

/** Conclusions of runs, and states of deployments, that count as failures. */
const failures: ReadonlySet<string> = new Set(["failure", "error", "timed_out", "action_required", "startup_failure"]);

/** Returns `resolved` for the conclusion `success`, `open` for a failure, and null for other conclusions. */
function stateOf(conclusion: Text): AlertState | null {
  if (conclusion === "success") return "resolved";
  return failures.has(conclusion ?? "") ? "open" : null;
}

function describeSecurityAlert({ action, alert, repository }: GithubPayload): Subject | null {
  if (!alert) return null;
  const { rule, security_advisory: advisory, most_recent_instance: instance, dependency } = alert;
  const secret = alert.secret_type_display_name ?? alert.secret_type;
  const { path, start_line } = instance?.location ?? {};
  return {
    title: advisory?.summary ?? rule?.description ?? (secret ? `Secret exposed: ${secret}` : null),
    text: advisory?.description || instance?.message?.text,
    level: rule?.security_severity_level ?? advisory?.severity ?? rule?.severity,
    severity: secret ? "critical" : "medium",
    state: states[action ?? ""] ?? states[alert.state ?? ""] ?? (alert.state === "open" ? "open" : null),
    id: alert.number ? `${repository?.full_name}#${alert.number}` : null,
    time: alert.updated_at ?? alert.created_at,
    link: alert.html_url,
    details: {
      Alert: alert.number ? `#${alert.number}` : null,
      Rule: rule?.id,
      Tool: alert.tool?.name,
      Location: path && start_line ? `${path}:${start_line}` : path,
      Package: [dependency?.package?.ecosystem, dependency?.package?.name].filter(Boolean).join(" "),
      Manifest: dependency?.manifest_path,
      Advisory: [advisory?.ghsa_id, advisory?.cve_id].filter(Boolean).join(", "),
      Resolution: alert.resolution ?? alert.dismissed_reason,
      Comment: alert.dismissed_comment,
    },
  };
}

function describeWorkflowRun({ workflow_run: run }: GithubPayload): Subject | null {
  if (!run) return null;
  return {
    title: `Workflow ${run.name}: ${run.conclusion ?? run.status}`,
    text: run.display_title ?? run.head_commit?.message,
    level: run.conclusion,
    state: stateOf(run.conclusion),
    id: run.id,
    time: run.updated_at,
    link: run.html_url,
    details: { Run: run.run_number ? `#${run.run_number}` : null, Branch: run.head_branch },
  };
}

function describeCheckRun({ check_run: run }: GithubPayload): Subject | null {
  if (!run) return null;
  return {
    title: `Check ${run.name}: ${run.conclusion ?? run.status}`,
    text: [run.output?.title, run.output?.summary].filter(Boolean).join("\n\n"),
    level: run.conclusion,
    state: stateOf(run.conclusion),
    id: run.id,
    time: run.completed_at ?? run.started_at,
    link: run.html_url,
  };
}

function describeDeployment({ deployment_status: status }: GithubPayload): Subject | null {
  if (!status) return null;
  return {
    title: `Deployment to ${status.environment ?? "an environment"}: ${status.state}`,
    text: status.description,
    level: status.state,
    state: stateOf(status.state),
    id: status.id,
    time: status.updated_at,
    link: status.target_url,
    details: { Environment: status.environment },
  };
}

function describeIssue({ action, issue, pull_request }: GithubPayload): Subject | null {
  const subject = issue ?? pull_request;
  if (!subject) return null;
  return {
    title: `${issue ? "Issue" : "Pull request"} #${subject.number} ${action ?? ""}: ${subject.title}`,
    text: subject.body,
    state: states[action ?? ""] ?? (subject.state === "closed" ? "resolved" : "open"),
    time: subject.updated_at,
    link: subject.html_url,
    details: { "Assigned to": subject.assignee?.login },
  };
}

/** Describes a push. A push that deletes a branch or tag has no commit. */
function describePush({ ref, compare, head_commit: commit }: GithubPayload): Subject | null {
  if (!ref?.startsWith("refs/")) return null;
  const name = ref.replace(/^refs\/(heads|tags)\//, "");
  return {
    title: commit ? `Push to ${name}` : `${name} was deleted`,
    text: commit?.message,
    severity: "low",
    time: commit?.timestamp,
    link: compare,
    details: { Author: commit?.author?.name },
  };
}

const describers = [
  describeSecurityAlert,
  describeWorkflowRun,
  describeCheckRun,
  describeDeployment,
  describeIssue,
  describePush,
];

const isObject = (value: unknown) => typeof value === "object" && value !== null;

/**
 * Adapter for GitHub: describes security alerts, workflow and check runs, deployments, issues and pushes. Other events
 * get a title from their action and repository.
 */
export const githubAdapter: AlertAdapter = {
  provider: "github",
  label: "GitHub",
  matches: (payload, headers) =>
    "x-github-event" in headers ||
    (isObject(payload.repository) && isObject(payload.sender)) ||
    ("zen" in payload && "hook_id" in payload),
  fields: [
    ...Object.keys(githubEntries),
    "organization",
    "enterprise",
    "installation",
    "commit_oid",
    "workflow",
    "deployment",
    "hook",
    "hook_id",
  ],
  normalize(payload, { nowMs, newAlertId }) {
    const parsed = parsePayload(v.looseObject(githubEntries), payload);
    const { action, zen, repository, sender } = parsed;
    const isTest = zen !== undefined && zen !== null;
    const fallbackTitle = isTest
      ? "GitHub sent a test event."
      : `${action ?? "Event"} in ${repository?.full_name ?? "GitHub"}`;
    const subject = describers.reduce<Subject | null>((found, describe) => found ?? describe(parsed), null);
    const { title, text, level, state = null, id, time, link } = subject ?? { title: null };
    return {
      alert: {
        severity: severities[level ?? ""] ?? subject?.severity ?? (subject === null ? "low" : "medium"),
        title: title ?? fallbackTitle,
        description: text || title || zen || fallbackTitle,
        alert_id: id ?? newAlertId,
        triggered_at: toTimestamp(time, nowMs),
        state,
        is_test: isTest,
        details: details({
          Event: action,
          State: state,
          Repository: repository?.full_name,
          Severity: level,
          ...subject?.details,
          By: sender?.login,
        }),
        link: link ?? repository?.html_url ?? null,
        metadata: { title: title ?? null, action: action ?? null, repository: repository?.full_name ?? null },
      },
      eventKey: null,
      incident: parsed.alert?.number ? (id ?? null) : null,
    };
  },
};
