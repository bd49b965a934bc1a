import * as v from "valibot";
import type { Severity } from "../../api/webhooks/investigate.ts";
import {
  commonFieldNames,
  details,
  lenientObject,
  MAX_ALERT_TEXT_LENGTH,
  optionalText,
  parseCommonFields,
  parsePayload,
  toFacts,
  toTimestamp,
} from "./fields.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

const Text = optionalText(MAX_ALERT_TEXT_LENGTH);
const Url = optionalText(2_000);

/**
 * Fields of the payload that the guide for channels recommends, of Datadog's default payload, and of common custom
 * payloads, whose fields are named after Datadog's variables.
 * @see https://docs.datadoghq.com/integrations/webhooks/
 */
const entries = {
  alert_id: optionalText(),
  alert_title: Text,
  alert_status: Text,
  alert_transition: optionalText(),
  alert_severity: optionalText(),
  alert_type: optionalText(),
  alert_priority: optionalText(),
  alert_metric: optionalText(1_000),
  alert_query: optionalText(1_000),
  alert_scope: optionalText(1_000),
  alert_cycle_key: optionalText(),
  body: Text,
  last_updated: optionalText(),
  link: Url,
  id: optionalText(),
  event_type: optionalText(),
  title: Text,
  date: optionalText(),
  org: lenientObject({ name: optionalText() }),
  org_name: optionalText(),
  message: Text,
  text_only_msg: Text,
  event_msg: Text,
  hostname: optionalText(1_000),
  priority: optionalText(),
  service: optionalText(1_000),
  tags: v.fallback(v.nullish(v.union([v.string(), v.array(v.string())])), undefined),
  transition: optionalText(),
  event_url: Url,
};

const Monitor = v.pipe(
  v.looseObject(entries),
  v.forward(
    v.check(({ alert_id, id, alert_transition }) => Boolean(alert_id ?? id ?? alert_transition), "is required"),
    ["alert_id"],
  ),
);

const severities: Readonly<Record<string, Severity>> = {
  critical: "critical",
  error: "high",
  warning: "medium",
  P1: "critical",
  P2: "high",
  P3: "medium",
  P4: "low",
  P5: "low",
};

/** States of alerts by Datadog's transitions in lower case. */
const states: ReadonlyMap<string, AlertState> = new Map([
  ["triggered", "open"],
  ["re-triggered", "open"],
  ["renotify", "open"],
  ["warn", "open"],
  ["re-warn", "open"],
  ["no data", "open"],
  ["re-no data", "open"],
  ["recovered", "resolved"],
]);

/**
 * Returns transition and priority from the start of an event's title, such as `[P1] [Triggered on {host:web-1}] CPU is
 * high`.
 */
function parseTitle(title: string | null): { readonly transition?: string; readonly priority?: string } {
  const marks = [...(title ?? "").matchAll(/\[([^[\]]+)\]/g)].map(([, mark = ""]) => mark);
  const transition = marks.map((mark) => mark.split(" on {")[0] ?? "").find((mark) => states.has(mark.toLowerCase()));
  const priority = marks.find((mark) => /^P[1-5]$/.test(mark));
  return { ...(transition && { transition }), ...(priority && { priority }) };
}

export const datadogAdapter: AlertAdapter = {
  provider: "datadog",
  label: "Datadog",
  matches: (payload) =>
    "alert_id" in payload ||
    "alert_transition" in payload ||
    ("event_type" in payload && "last_updated" in payload && "title" in payload),
  fields: [...Object.keys(entries), "org_id", "date_posix", "aggreg_key", "event_id", ...commonFieldNames],
  normalize(payload, { nowMs, newAlertId }) {
    const monitor = parsePayload(Monitor, payload);
    const common = parseCommonFields(payload);
    const { alert_id = null, alert_status = null, last_updated = null, id = null } = monitor;
    const title = monitor.alert_title ?? monitor.title ?? null;
    const marks = parseTitle(monitor.title ?? title);
    const transition = monitor.alert_transition ?? monitor.transition ?? marks.transition ?? null;
    const state = states.get(transition?.toLowerCase() ?? "") ?? null;
    const priority = monitor.alert_priority ?? monitor.priority ?? marks.priority;
    const stated = severities[priority ?? ""] ?? severities[monitor.alert_type ?? ""] ?? common.severity;
    const text = [monitor.body, monitor.text_only_msg, monitor.event_msg, monitor.message].find(Boolean);
    const affected = common.affected_entities ?? undefined;
    const eventId = alert_id ?? id;
    const eventTime = last_updated ?? monitor.date ?? common.triggered_at;
    return {
      alert: {
        severity: monitor.alert_severity ? (severities[monitor.alert_severity] ?? "low") : (stated ?? "low"),
        title,
        description: text || common.description || title || "(no description)",
        alert_id: alert_id ?? id ?? newAlertId,
        triggered_at: toTimestamp(eventTime, nowMs),
        state,
        details: details(
          {
            State: state,
            Status: alert_status,
            Transition: transition,
            Priority: priority,
            Type: monitor.alert_type,
            Service: monitor.service,
            Host: monitor.hostname,
            Metric: monitor.alert_metric,
            Query: monitor.alert_query,
            Scope: monitor.alert_scope,
            Tags: Array.isArray(monitor.tags) ? monitor.tags.join(", ") : monitor.tags,
            Organization: monitor.org?.name ?? monitor.org_name,
            Affected: affected?.map(({ entity_type, entity_id }) => `${entity_type} ${entity_id}`).join(", "),
          },
          toFacts(common.metadata),
        ),
        link: monitor.link ?? monitor.event_url ?? null,
        metadata: {
          title,
          status: alert_status,
          transition,
          ...(monitor.alert_type && { alert_type: monitor.alert_type }),
          ...(affected && { affected_entities: affected }),
          ...common.metadata,
        },
      },
      // `alert_id` identifies the monitor, so each transition of the monitor is an event of its own.
      // Without an id and a time, only an equal body is the same event.
      eventKey: eventId && eventTime ? JSON.stringify([eventId, transition, eventTime]) : null,
      incident: monitor.alert_cycle_key ?? null,
    };
  },
};
