import type { Severity } from "../../api/webhooks/investigate.ts";
import { type Place, textAt } from "./paths.ts";
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

/** Returns a place for texts that are among the words of a tool: its other texts there name no state. */
export const knownAt =
  (path: string, words: Words<AlertState>): Place =>
  (payload) => {
    const text = textAt(payload, path);
    return text !== null && lookUp(words, text) !== null ? text : null;
  };

/** Returns the severity that a text names, by the words of the tool or by the usual ones; null if it names none. */
export function namedSeverity(text: string, words: Words<Severity> = {}): Severity | null {
  // Level with a name, such as `P1 - Outage`.
  const [, letter = "", digit = ""] = /^(sev|p|s)[-_ ]?(\d)(?!\d)/.exec(normalize(text)) ?? [];
  return lookUp(words, text) ?? lookUp(severityWords, text) ?? lookUp(severityWords, letter + digit);
}

/** Returns the last word of the name of an event, such as `monitor_down`; empty for other texts, and if another word negates it. */
function lastWord(name: string): string {
  const words = normalize(name).split(/[._:-]/);
  return words.length === 1 || words.includes("not") || words.includes("no") ? "" : (words.at(-1) ?? "");
}

/**
 * Returns the state that a text names; null if it names none.
 * @param lists words that come before the usual ones, such as those of the tool
 */
export function namedState(text: string, ...lists: readonly (Words<AlertState> | undefined)[]): AlertState | null {
  for (const words of [...lists, stateWords]) {
    const state = words && lookUp(words, text);
    if (state) return state;
  }
  return lookUp(stateWords, lastWord(text));
}
