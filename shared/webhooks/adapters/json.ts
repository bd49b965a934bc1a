import type { AlertPaths } from "../../api/webhooks/alert-paths.ts";
import type { Severity } from "../../api/webhooks/investigate.ts";
import { invalidField } from "../../lib/errors.ts";
import { details, MAX_ALERT_TEXT_LENGTH, MAX_ID_LENGTH, shorten, toTimestamp } from "./fields.ts";
import { type AlertPart, type AlertPartPaths, commonPaths, formats } from "./json-formats.ts";
import type { AlertAdapter, AlertPayload, AlertState } from "./types.ts";

const MAX_TITLE_LENGTH = 1_000;

const severities: readonly (readonly [Severity, RegExp])[] = [
  ["critical", /^(?:critical|crit|fatal|emergency|emerg|disaster|blocker|sev-?0|p1)$/],
  ["high", /^(?:high|error|err|major|alert|sev-?1|p2)$/],
  ["medium", /^(?:medium|moderate|warning|warn|minor|average|sev-?2|p3)$/],
  ["low", /^(?:low|info|informational|information|notice|debug|verbose|ok|success|sev-?[34]|p[45])$/],
];

const states: readonly (readonly [AlertState, RegExp])[] = [
  ["open", /^(?:open|opened|started|fired|firing|triggered|alerting|active|problem|down|failed|0)$/],
  ["acknowledged", /^(?:ack|acked|acknowledged)$/],
  ["resolved", /^(?:resolved|closed|recovered|recovery|ok|up|fixed|1)$/],
];

/** Returns the value of the first pattern that matches a text, or null. */
const classify = <Value>(table: readonly (readonly [Value, RegExp])[], text: string | null): Value | null =>
  table.find(([, pattern]) => pattern.test(text?.trim().toLowerCase() ?? ""))?.[0] ?? null;

/** Returns the value at a path such as `data.alerts.0.title`, or undefined. */
function valueAt(payload: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Record<string, unknown>)[name];
  }, payload);
}

/** Returns the first nonempty text, or number as text, at one of the paths; null if there is none. */
function findText(payload: AlertPayload, paths: readonly string[] = []): string | null {
  for (const path of paths) {
    const value = valueAt(payload, path);
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return null;
}

const findFormat = (payload: AlertPayload) => formats.find(({ marker }) => valueAt(payload, marker) !== undefined);

/** Returns true if a payload has a text at the path that the channel configures. */
export const hasConfiguredText = (payload: AlertPayload, paths: AlertPaths | null | undefined): boolean =>
  paths?.text !== undefined && findText(payload, [paths.text]) !== null;

/**
 * Returns a function that finds a part of an alert: at the path that the channel configures, or else at a path of the
 * recognized or common format.
 */
function finder(payload: AlertPayload, configured: AlertPaths) {
  const paths = findFormat(payload)?.paths ?? commonPaths;
  const configuredPaths: AlertPartPaths = Object.fromEntries(
    Object.entries(configured).map(([part, path]) => [part, [path]]),
  );
  return (part: AlertPart) => findText(payload, configuredPaths[part]) ?? findText(payload, paths[part]);
}

/**
 * Returns the state in a payload, or the state that follows from its times of resolution, acknowledgement and start.
 */
function findState(find: (part: AlertPart) => string | null): AlertState | null {
  if (find("resolvedAt")) return "resolved";
  if (find("acknowledgedAt")) return "acknowledged";
  return classify(states, find("state")) ?? (find("startedAt") ? "open" : null);
}

/** Adapter for tools without an adapter of their own. It reads the parts of an alert by paths. */
export const jsonAdapter: AlertAdapter = {
  provider: "custom",
  label: "Custom",
  matches: (payload) =>
    findFormat(payload) !== undefined ||
    (!("description" in payload) &&
      ["title", "text"].some((part) => findText(payload, commonPaths[part as AlertPart]))),
  fields: ["data", "incident", "heartbeat", "monitor", "alert", "event", "schemaId", "version"].concat(
    Object.values(commonPaths).flat(),
  ),
  normalize(payload, { nowMs, newAlertId, paths }) {
    const find = finder(payload, paths ?? {});
    const [title, text, id, time] = [find("title"), find("text"), find("id"), find("time")];
    const description = text ?? title;
    if (description === null) {
      throw invalidField("message", "required", "is required, or a path to the text");
    }
    const state = findState(find);
    const severity = classify(severities, find("severity")) ?? (state === "resolved" ? "low" : "medium");
    return {
      alert: {
        severity,
        title: title === null || title === description ? null : shorten(title, MAX_TITLE_LENGTH),
        description: shorten(description, MAX_ALERT_TEXT_LENGTH),
        alert_id: id === null ? newAlertId : shorten(id, MAX_ID_LENGTH),
        triggered_at: toTimestamp(time, nowMs),
        state,
        details: details({ Source: findFormat(payload)?.name, State: state, Severity: find("severity") }),
        link: find("link"),
        metadata: payload,
      },
      eventKey: id === null ? null : JSON.stringify([id, state, time]),
      incident: id,
    };
  },
};
