import * as v from "valibot";
import type { Severity } from "../../api/channels/webhooks.ts";
import {
  commonFieldNames,
  details,
  MAX_ID_LENGTH,
  MAX_TEXT_LENGTH,
  optionalText,
  parseCommonFields,
  parsePayload,
  shorten,
  toTimestamp,
} from "./fields.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

const entries = {
  alert_id: v.pipe(
    v.union([v.string(), v.number()]),
    v.transform((id) => shorten(id, MAX_ID_LENGTH)),
  ),
  alert_title: optionalText(MAX_TEXT_LENGTH),
  alert_status: optionalText(),
  alert_transition: optionalText(),
  alert_severity: optionalText(),
  alert_type: optionalText(),
  body: optionalText(MAX_TEXT_LENGTH),
  last_updated: optionalText(),
  link: optionalText(2_000),
};

const severities: Readonly<Record<string, Severity>> = { critical: "critical", error: "high", warning: "medium" };

const states: Readonly<Record<string, AlertState>> = {
  triggered: "open",
  "re-triggered": "open",
  renotify: "open",
  warn: "open",
  "no data": "open",
  recovered: "resolved",
};

/** Alerts of Datadog monitors, with the payload that the channel guide recommends. */
export const datadogAdapter: AlertAdapter = {
  provider: "datadog",
  label: "Datadog",
  matches: (payload) => "alert_id" in payload,
  fields: [...Object.keys(entries), ...commonFieldNames],
  normalize(payload, { nowMs }) {
    const monitor = parsePayload(v.looseObject(entries), payload);
    const common = parseCommonFields(payload);
    const { alert_id, alert_title = null, alert_status = null, alert_transition = null, last_updated = null } = monitor;
    const { alert_severity } = monitor;
    const state = states[(alert_transition ?? "").toLowerCase()] ?? null;
    const affected = common.affected_entities ?? undefined;
    return {
      alert: {
        provider: "datadog",
        severity: alert_severity ? (severities[alert_severity] ?? "low") : (common.severity ?? "low"),
        title: alert_title,
        description: monitor.body || common.description || alert_title || "(no description)",
        alert_id,
        triggered_at: toTimestamp(last_updated ?? common.triggered_at, nowMs),
        state,
        is_test: false,
        details: details({ State: state, Status: alert_status, Transition: alert_transition }),
        link: monitor.link ?? null,
        metadata: {
          title: alert_title,
          status: alert_status,
          transition: alert_transition,
          ...(monitor.alert_type && { alert_type: monitor.alert_type }),
          ...(affected && { affected_entities: affected }),
          ...common.metadata,
        },
      },
      // `alert_id` identifies the monitor, so each transition of the monitor is an event of its own.
      eventKey: JSON.stringify([alert_id, alert_transition, last_updated ?? common.triggered_at ?? null]),
      incident: null,
    };
  },
};
