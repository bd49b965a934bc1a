import { expect, it } from "vitest";
import { readMatch, readMetadataMatch, toRunbookSteps } from "#shared/investigations/runbook.ts";
import { isOwnAlarm, matchesAlert, matchesPattern, toAlertFacts } from "#shared/webhooks/alert-facts.ts";

const facts = toAlertFacts({
  title: "HighErrorRate",
  details: { Alert: "HighErrorRate" },
  metadata: { labels: { service: "checkout-api", region: "eu" } },
});

it("match pattern of a runbook is read from front matter, with comments and quotes", () => {
  const text =
    '---\ntitle: x\nmatch:\n  service: "checkout-*" # all\n  alert: HighErrorRate\n  labels:\n    region: eu\n---\n# Text';
  expect(readMatch(text)).toEqual({ service: "checkout-*", title: "HighErrorRate", labels: { region: "eu" } });
  expect(matchesAlert(facts, readMatch(text) ?? {})).toBe(true);
});

it.each(["# match:\n  service: a", "---\ntitle: x\n---\nmatch:\n  service: a", "---\nmatch:\n"])(
  "match pattern of a runbook is absent from the document %j",
  (text) => expect(readMatch(text)).toBeNull(),
);

it("match pattern of a runbook is read from metadata", () => {
  const match = readMetadataMatch({ "match.service": "checkout-api", "match.labels.region": "us", team: "a" });
  expect(match).toEqual({ service: "checkout-api", labels: { region: "us" } });
  expect(matchesAlert(facts, match ?? {})).toBe(false);
});

it.each([
  ["Checkout-API", "checkout-*", true],
  ["checkout", "checkout-*", false],
  ["a-b-c", "a*c", true],
  ["ab", "ab*b", false],
  ["abc", "*b*", true],
  [null, "*", false],
])("match of the text %j with the runbook pattern %s is %s", (text, pattern, expected) => {
  expect(matchesPattern(text, pattern)).toBe(expected);
});

it("steps of a runbook have the commands and links of their list items", () => {
  const text =
    "Intro\n1. Look at `kubectl get pods`\n2. Open https://wiki.example/x.\n- Roll back:\n```sh\ndeployctl undo\n```\nEnd";
  expect(toRunbookSteps(text, "p1")).toEqual([
    { text: "Look at `kubectl get pods`", command: "kubectl get pods", link: null, observation: "p1" },
    { text: "Open https://wiki.example/x.", command: null, link: "https://wiki.example/x", observation: "p1" },
    { text: "Roll back:", command: "deployctl undo", link: null, observation: "p1" },
  ]);
});

it("isOwnAlarm() recognizes an alert from this service's own alarms by the name of the alarm", () => {
  const alarm = toAlertFacts({ title: "switchboard-prod-job-failures", details: {}, metadata: {} });
  expect([isOwnAlarm(alarm), isOwnAlarm(facts)]).toEqual([true, false]);
});
