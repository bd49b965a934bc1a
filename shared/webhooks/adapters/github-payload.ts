import * as v from "valibot";
import { lenientObject, MAX_ALERT_TEXT_LENGTH, optionalText } from "./fields.ts";

const Text = optionalText(MAX_ALERT_TEXT_LENGTH);
const Url = optionalText(2_000);

const Issue = lenientObject({
  number: optionalText(),
  title: Text,
  body: Text,
  state: optionalText(),
  html_url: Url,
  updated_at: optionalText(),
  assignee: lenientObject({ login: optionalText() }),
});

/**
 * Fields of GitHub's webhook payloads that alerts use.
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
export const githubEntries = {
  action: optionalText(),
  zen: Text,
  repository: lenientObject({ full_name: optionalText(), html_url: Url }),
  sender: lenientObject({ login: optionalText() }),
  alert: lenientObject({
    number: optionalText(),
    state: optionalText(),
    html_url: Url,
    created_at: optionalText(),
    updated_at: optionalText(),
    secret_type: optionalText(),
    secret_type_display_name: optionalText(),
    resolution: optionalText(),
    dismissed_reason: optionalText(),
    dismissed_comment: Text,
    rule: lenientObject({
      id: optionalText(),
      description: Text,
      severity: optionalText(),
      security_severity_level: optionalText(),
    }),
    tool: lenientObject({ name: optionalText() }),
    most_recent_instance: lenientObject({
      message: lenientObject({ text: Text }),
      location: lenientObject({ path: optionalText(1_000), start_line: optionalText() }),
    }),
    dependency: lenientObject({
      package: lenientObject({ ecosystem: optionalText(), name: optionalText() }),
      manifest_path: optionalText(1_000),
    }),
    security_advisory: lenientObject({
      summary: Text,
      description: Text,
      severity: optionalText(),
      ghsa_id: optionalText(),
      cve_id: optionalText(),
    }),
  }),
  workflow_run: lenientObject({
    id: optionalText(),
    name: optionalText(),
    display_title: Text,
    run_number: optionalText(),
    conclusion: optionalText(),
    status: optionalText(),
    html_url: Url,
    head_branch: optionalText(),
    head_commit: lenientObject({ message: Text }),
    updated_at: optionalText(),
  }),
  check_run: lenientObject({
    id: optionalText(),
    name: optionalText(),
    status: optionalText(),
    conclusion: optionalText(),
    html_url: Url,
    completed_at: optionalText(),
    started_at: optionalText(),
    output: lenientObject({ title: Text, summary: Text }),
  }),
  deployment_status: lenientObject({
    id: optionalText(),
    state: optionalText(),
    description: Text,
    environment: optionalText(),
    target_url: Url,
    updated_at: optionalText(),
  }),
  issue: Issue,
  pull_request: Issue,
  ref: optionalText(1_000),
  compare: Url,
  head_commit: lenientObject({
    message: Text,
    timestamp: optionalText(),
    author: lenientObject({ name: optionalText() }),
  }),
};

const GithubPayload = v.looseObject(githubEntries);
export type GithubPayload = v.InferOutput<typeof GithubPayload>;
