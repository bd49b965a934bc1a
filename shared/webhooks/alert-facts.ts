import type { Message } from "../api/conversations/messages.ts";
import type { AlertMatch, Severity } from "../api/webhooks/investigate.ts";
import { sha256 } from "../lib/hash.ts";
import { truncate } from "../lib/truncate.ts";
import type { Alert } from "./adapters/types.ts";

/** Severities from the least to the most urgent. */
export const severityRanks: readonly Severity[] = ["low", "medium", "high", "critical"];

export const isAtLeast = (severity: Severity, minimum: Severity): boolean =>
  severityRanks.indexOf(severity) >= severityRanks.indexOf(minimum);

/** Facts about an alert by which it is matched and grouped. */
export interface AlertFacts {
  readonly title: string | null;
  readonly service: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

/** Labels that can name the service, by descending precedence. */
const serviceLabels = ["service", "service_name", "app", "application", "component", "job"];

function flatten(value: unknown, labels: Map<string, string>, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > 2) return;
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry === "string" || typeof entry === "number") {
      const key = name.toLowerCase();
      if (!labels.has(key)) labels.set(key, String(entry));
    } else flatten(entry, labels, depth + 1);
  }
}

/**
 * Returns the title, service and labels of an alert. Labels are all texts and numbers in its details and metadata, by
 * lower-case name.
 */
export function toAlertFacts({ title, details, metadata }: Pick<Alert, "title" | "details" | "metadata">): AlertFacts {
  const labels = new Map<string, string>();
  flatten(details, labels);
  flatten(metadata, labels);
  const service = serviceLabels.map((name) => labels.get(name)).find((name) => name) ?? null;
  return { title: title ?? labels.get("alert") ?? null, service, labels: Object.fromEntries(labels) };
}

/** Returns the title of an alert or, without one, the first line of its description, in at most 200 characters. */
export const alertTitleOf = (alert: Pick<Alert, "title" | "details" | "metadata" | "description">): string =>
  truncate(toAlertFacts(alert).title ?? alert.description.split("\n", 1)[0] ?? "", 200);

/** Returns the parts of the alert in a message that describe its incident; null if there is no such message. */
export function toKnownAlert(message: Pick<Message, "alert"> | undefined) {
  if (!message?.alert) return null;
  const { description, details, link } = message.alert as unknown as Alert;
  return { description, details: { ...details }, link };
}

/**
 * Returns true if a text matches a pattern, ignoring case. `*` matches any characters. Takes linear time, because users
 * write the patterns.
 */
export function matchesPattern(text: string | null, pattern: string): boolean {
  if (text === null) return false;
  const [first = "", ...parts] = pattern.toLowerCase().split("*");
  const value = text.toLowerCase();
  if (parts.length === 0) return value === first;
  const last = parts.pop() ?? "";
  if (!value.startsWith(first) || value.length < first.length + last.length || !value.endsWith(last)) return false;
  let position = first.length;
  for (const part of parts) {
    const found = value.indexOf(part, position);
    if (found === -1) return false;
    position = found + part.length;
  }
  return position <= value.length - last.length;
}

/** Returns true if an alert matches all patterns of a condition: of the service, the title, and each label. */
export function matchesAlert({ title, service, labels }: AlertFacts, match: AlertMatch): boolean {
  if (match.service !== undefined && !matchesPattern(service, match.service)) return false;
  if (match.title !== undefined && !matchesPattern(title, match.title)) return false;
  return Object.entries(match.labels ?? {}).every(([name, pattern]) =>
    matchesPattern(labels[name.toLowerCase()] ?? null, pattern),
  );
}

const ownAlarm = /^switchboard-[a-z0-9-]+$/i;

/**
 * Returns true for alarms about this deployment itself, which are not investigated, because an investigation could
 * cause the next alarm.
 */
export const isOwnAlarm = ({ title, labels }: AlertFacts): boolean =>
  [title, labels.alarm, labels.alarmname, labels.alarm_name].some(
    (name) => name !== undefined && ownAlarm.test(name ?? ""),
  );

/**
 * Returns a hash that identifies the incident of an alert within its channel: by the id that the monitoring tool sends,
 * or else by service and title.
 */
export const incidentHash = (channelId: string, incident: string | null, { title, service }: AlertFacts): string =>
  sha256(JSON.stringify([channelId, "incident", incident ?? [service, title]]));

/** Returns a hash that identifies the service of an alert within its channel, or null if the alert names no service. */
export const serviceHash = (channelId: string, { service }: AlertFacts): string | null =>
  service === null ? null : sha256(JSON.stringify([channelId, "service", service.toLowerCase()]));
