import type { Severity } from "../../api/webhooks/investigate.ts";
import type { AlertState } from "./types.ts";

/** Words of a tool for a value, in lower case, separated by `|`. */
export type Words<Value extends string> = Readonly<Partial<Record<Value, string>>>;

/** Usual words for severities. */
const severityWords: Words<Severity> = {
  critical:
    "critical|crit|fatal|emergency|emerg|disaster|blocker|page|urgent|highest|severe|sev0|sev1|p0|p1|s1|致命|紧急|緊急|灾难|重大|kritisch|critique|crítico|критический",
  high: "high|error|err|major|alert|sev2|p2|s2|严重|高|エラー|hoch|élevé|alto|высокий",
  medium:
    "medium|moderate|normal|warning|warn|average|degraded|sev3|p3|s3|警告|一般|中|mittel|warnung|moyen|medio|средний",
  low: "low|lowest|minor|info|informational|information|notice|debug|verbose|trivial|none|ok|success|sev4|sev5|p4|p5|s4|提示|信息|低|情報|niedrig|faible|bajo|низкий",
};

/** Usual words for states. */
const stateWords: Words<AlertState> = {
  open: "open|opened|reopen|reopened|new|created|create|started|start|fired|firing|fire|trigger|triggered|alerting|alarm|alert|active|activated|problem|down|failed|failure|failing|error|critical|warning|offline|unhealthy|unresolved|not ok|breached|investigating|identified",
  acknowledged:
    "ack|acked|acknowledge|acknowledged|monitoring|in progress|in_progress|inprogress|mitigated|assigned|snoozed|muted",
  resolved:
    "resolve|resolved|close|closed|clear|cleared|recover|recovered|recovery|ok|up|online|healthy|fixed|normal|done|completed|success|successful|passed|inactive|back up|operational|ended",
};

const normalize = (text: string) => text.trim().toLowerCase();

/** Returns the value whose words contain a text, or null. */
function lookUp<Value extends string>(words: Words<Value>, text: string): Value | null {
  const word = normalize(text);
  const entries = Object.entries(words) as [Value, string][];
  return entries.find(([, list]) => list.split("|").includes(word))?.[0] ?? null;
}

/** Returns the severity that a text names, by the words of the tool or by the usual ones; null if it names none. */
export const namedSeverity = (text: string, words: Words<Severity> = {}): Severity | null =>
  lookUp(words, text) ??
  lookUp(severityWords, text) ??
  lookUp(severityWords, normalize(text).replace(/^(sev|p)[- _](\d)/, "$1$2")) ??
  lookUp(severityWords, /^(?:sev|p|s)-?\d/.exec(normalize(text))?.[0]?.replace("-", "") ?? "");

/** Returns the last word of the name of an event, such as `monitor_down`; empty for other texts, and if another word negates it. */
function lastWord(name: string): string {
  const words = normalize(name).split(/[._:-]/);
  return words.length === 1 || words.includes("not") || words.includes("no") ? "" : (words.at(-1) ?? "");
}

/** Returns the state that a text names, by the words of the tool or by the usual ones; null if it names none. */
export const namedState = (text: string, words: Words<AlertState> = {}): AlertState | null =>
  lookUp(words, text) ?? lookUp(stateWords, text) ?? lookUp(stateWords, lastWord(text));
