import { isJsonObject } from "../../../lib/parse-json.ts";
import { findText, type Places, textAt } from "../paths.ts";
import type { AlertSource } from "../source.ts";
import type { AlertPayload } from "../types.ts";
import { knownAt } from "../words.ts";

const states = {
  open: "created|appeared_in_branch|reopened|reopened_by_user|reintroduced|auto_reopened|opened|open",
  resolved: "fixed|resolved|dismissed|auto_dismissed|closed_by_user|closed",
};

const severityWords = {
  critical: "critical",
  high: "high|error|failure|timed_out",
  medium: "moderate|medium|warning",
  low: "low|note|success",
};

/** States of runs and deployments by their conclusion. Others, such as `skipped`, say nothing. */
const conclusions = { open: "failure|error|timed_out|action_required|startup_failure", resolved: "success" };
const conclusionAt = (path: string) => knownAt(path, conclusions);

const secret = ["alert.secret_type_display_name", "alert.secret_type"];

/** Returns a source for one kind of GitHub's events. */
const kind = (mark: string | null, source: Omit<AlertSource, "name">): AlertSource => ({
  name: "GitHub",
  provider: "github",
  matches: (payload) => isFromGithub(payload) && mark !== null && isJsonObject(payload[mark]),
  severityWords,
  severityOf: "medium",
  event: [() => null],
  incident: null,
  ...source,
  title: [...toPlaces(source.title), "GitHub sent a test event: {zen}", ...fallbackTitle],
  text: [...toPlaces(source.text), ...toPlaces(source.title), "zen", ...fallbackTitle],
  link: [...toPlaces(source.link), "repository.html_url"],
  facts: {
    Event: "action",
    Repository: "repository.full_name",
    Severity: source.severity ?? [],
    ...source.facts,
    By: "sender.login",
  },
  metadata: (payload) => ({
    title: findText(payload, source.title),
    action: textAt(payload, "action"),
    repository: textAt(payload, "repository.full_name"),
  }),
  fields: [...fields],
});

const toPlaces = (places: Places | undefined) => (places === undefined ? [] : [places].flat());
const fallbackTitle = ["{action} in {repository.full_name}", "Event in {repository.full_name}", "Event in GitHub"];
const fields =
  "action zen repository sender alert workflow_run check_run deployment_status issue pull_request ref compare head_commit organization enterprise installation commit_oid workflow deployment hook hook_id".split(
    " ",
  );

const isFromGithub = (payload: AlertPayload) => textAt(payload, "repository.full_name") !== null;

/** Returns a source for issues or pull requests. */
const issueKind = (field: string, name: string) =>
  kind(field, {
    title: [`${name} #{${field}.number} {action}: {${field}.title}`, `${name} #{${field}.number}: {${field}.title}`],
    text: `${field}.body`,
    state: ["action", `${field}.state`, () => "open"],
    stateWords: states,
    time: `${field}.updated_at`,
    link: `${field}.html_url`,
    facts: { "Assigned to": `${field}.assignee.login` },
  });

/** Events of GitHub: security alerts, workflow and check runs, deployments, issues, pushes, and others by action and repository. */
export const githubSources: readonly AlertSource[] = [
  kind("alert", {
    title: [
      "alert.security_advisory.summary",
      "alert.rule.description",
      (payload) => (findText(payload, secret) ? `Secret exposed: ${findText(payload, secret)}` : null),
    ],
    text: ["alert.security_advisory.description", "alert.most_recent_instance.message.text"],
    severity: ["alert.rule.security_severity_level", "alert.security_advisory.severity", "alert.rule.severity"],
    severityOf: (_, payload) => (findText(payload, secret) ? "critical" : "medium"),
    state: ["action", "alert.state"],
    stateWords: states,
    id: "{repository.full_name}#{alert.number}",
    incident: "{repository.full_name}#{alert.number}",
    time: ["alert.updated_at", "alert.created_at"],
    link: "alert.html_url",
    facts: {
      Alert: "#{alert.number}",
      Rule: "alert.rule.id",
      Tool: "alert.tool.name",
      Location: [
        "{alert.most_recent_instance.location.path}:{alert.most_recent_instance.location.start_line}",
        "alert.most_recent_instance.location.path",
      ],
      Package: [
        "{alert.dependency.package.ecosystem} {alert.dependency.package.name}",
        "alert.dependency.package.name",
      ],
      Manifest: "alert.dependency.manifest_path",
      Advisory: [
        "{alert.security_advisory.ghsa_id}, {alert.security_advisory.cve_id}",
        "alert.security_advisory.ghsa_id",
        "alert.security_advisory.cve_id",
      ],
      Resolution: ["alert.resolution", "alert.dismissed_reason"],
      Comment: "alert.dismissed_comment",
    },
    signature: { name: "X-Hub-Signature-256", prefix: "sha256=" },
  }),
  kind("workflow_run", {
    title: [
      "Workflow {workflow_run.name}: {workflow_run.conclusion}",
      "Workflow {workflow_run.name}: {workflow_run.status}",
    ],
    text: ["workflow_run.display_title", "workflow_run.head_commit.message"],
    severity: "workflow_run.conclusion",
    state: conclusionAt("workflow_run.conclusion"),
    stateWords: conclusions,
    id: "workflow_run.id",
    time: "workflow_run.updated_at",
    link: "workflow_run.html_url",
    facts: { Run: "#{workflow_run.run_number}", Branch: "workflow_run.head_branch" },
    signature: { name: "X-Hub-Signature", prefix: "sha1=", algorithm: "sha1" },
  }),
  kind("check_run", {
    title: ["Check {check_run.name}: {check_run.conclusion}", "Check {check_run.name}: {check_run.status}"],
    text: [
      "{check_run.output.title}\n\n{check_run.output.summary}",
      "check_run.output.title",
      "check_run.output.summary",
    ],
    severity: "check_run.conclusion",
    state: conclusionAt("check_run.conclusion"),
    stateWords: conclusions,
    id: "check_run.id",
    time: ["check_run.completed_at", "check_run.started_at"],
    link: "check_run.html_url",
  }),
  kind("deployment_status", {
    title: [
      "Deployment to {deployment_status.environment}: {deployment_status.state}",
      "Deployment to an environment: {deployment_status.state}",
    ],
    text: "deployment_status.description",
    severity: "deployment_status.state",
    state: conclusionAt("deployment_status.state"),
    stateWords: conclusions,
    id: "deployment_status.id",
    time: "deployment_status.updated_at",
    link: "deployment_status.target_url",
    facts: { Environment: "deployment_status.environment" },
  }),
  issueKind("issue", "Issue"),
  issueKind("pull_request", "Pull request"),
  {
    ...kind(null, {
      title: (payload) => {
        const name = textAt(payload, "ref")?.replace(/^refs\/(heads|tags)\//, "");
        return textAt(payload, "head_commit.message") ? `Push to ${name}` : `${name} was deleted`;
      },
      text: "head_commit.message",
      time: "head_commit.timestamp",
      link: "compare",
      severityOf: "low",
      facts: { Author: "head_commit.author.name" },
    }),
    matches: (payload) => isFromGithub(payload) && (textAt(payload, "ref")?.startsWith("refs/") ?? false),
  },
  {
    ...kind(null, { severityOf: "low" }),
    matches: ({ zen, hook_id, ...payload }) =>
      (isFromGithub(payload) && isJsonObject(payload.sender)) || (zen !== undefined && hook_id !== undefined),
    header: "x-github-event",
    isTest: ({ zen }) => zen !== undefined && zen !== null,
  },
];
