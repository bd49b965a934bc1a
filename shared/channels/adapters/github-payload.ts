import * as v from "valibot";
import { MAX_TEXT_LENGTH, optionalObject, optionalText } from "./fields.ts";

const Text = optionalText(MAX_TEXT_LENGTH);
const Url = optionalText(2_000);

/** Object of which an unexpected form is ignored: an alert is never rejected for a part that is not essential. */
const lenient = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.fallback(optionalObject(entries), undefined);

const Issue = lenient({
  number: optionalText(),
  title: Text,
  body: Text,
  state: optionalText(),
  html_url: Url,
  updated_at: optionalText(),
  assignee: lenient({ login: optionalText() }),
});

/**
 * Parts of GitHub's events that alerts are made of.
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
export const githubEntries = {
  action: optionalText(),
  zen: Text,
  repository: lenient({ full_name: optionalText(), html_url: Url }),
  sender: lenient({ login: optionalText() }),
  alert: lenient({
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
    rule: lenient({
      id: optionalText(),
      description: Text,
      severity: optionalText(),
      security_severity_level: optionalText(),
    }),
    tool: lenient({ name: optionalText() }),
    most_recent_instance: lenient({
      message: lenient({ text: Text }),
      location: lenient({ path: optionalText(1_000), start_line: optionalText() }),
    }),
    dependency: lenient({
      package: lenient({ ecosystem: optionalText(), name: optionalText() }),
      manifest_path: optionalText(1_000),
    }),
    security_advisory: lenient({
      summary: Text,
      description: Text,
      severity: optionalText(),
      ghsa_id: optionalText(),
      cve_id: optionalText(),
    }),
  }),
  workflow_run: lenient({
    id: optionalText(),
    name: optionalText(),
    display_title: Text,
    run_number: optionalText(),
    conclusion: optionalText(),
    status: optionalText(),
    html_url: Url,
    head_branch: optionalText(),
    head_commit: lenient({ message: Text }),
    updated_at: optionalText(),
  }),
  check_run: lenient({
    id: optionalText(),
    name: optionalText(),
    status: optionalText(),
    conclusion: optionalText(),
    html_url: Url,
    completed_at: optionalText(),
    started_at: optionalText(),
    output: lenient({ title: Text, summary: Text }),
  }),
  deployment_status: lenient({
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
  head_commit: lenient({ message: Text, timestamp: optionalText(), author: lenient({ name: optionalText() }) }),
};

const GithubPayload = v.looseObject(githubEntries);
export type GithubPayload = v.InferOutput<typeof GithubPayload>;
