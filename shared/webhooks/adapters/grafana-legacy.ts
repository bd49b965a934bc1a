import * as v from "valibot";
import { details, MAX_ALERT_TEXT_LENGTH, optionalText, parsePayload, toFacts } from "./fields.ts";
import { labelSeverities } from "./prometheus.ts";
import type { AlertAdapter, AlertState } from "./types.ts";

const MAX_LISTED_SERIES = 20;

const Tags = v.fallback(v.nullish(v.record(v.string(), v.unknown())), undefined);

/** @see https://grafana.com/docs/grafana/v8.0/alerting/old-alerting/notifications/#webhook */
const entries = {
  title: optionalText(MAX_ALERT_TEXT_LENGTH),
  message: optionalText(MAX_ALERT_TEXT_LENGTH),
  ruleName: optionalText(1_000),
  ruleId: optionalText(),
  ruleUrl: optionalText(2_000),
  state: optionalText(),
  imageUrl: optionalText(2_000),
  orgId: optionalText(),
  dashboardId: optionalText(),
  panelId: optionalText(),
  tags: Tags,
  evalMatches: v.fallback(
    v.nullish(v.array(v.looseObject({ metric: optionalText(), value: optionalText(), tags: Tags }))),
    undefined,
  ),
};

const states: Readonly<Record<string, AlertState>> = { alerting: "open", no_data: "open", ok: "resolved" };

/** Adapter for the alerting of Grafana before version 9, which sends one rule instead of a list of alerts. */
export const grafanaLegacyAdapter: AlertAdapter = {
  provider: "grafana",
  label: "Grafana",
  matches: (payload) => "ruleName" in payload && ("evalMatches" in payload || "ruleUrl" in payload),
  fields: Object.keys(entries),
  normalize(payload, { nowMs, newAlertId }) {
    const rule = parsePayload(v.looseObject(entries), payload);
    const state = states[rule.state ?? ""] ?? null;
    const values = (rule.evalMatches ?? [])
      .slice(0, MAX_LISTED_SERIES)
      .map(({ metric, value }) => `${metric}=${value}`);
    const incident = rule.ruleId ? [rule.orgId, rule.dashboardId, rule.ruleId].join("/") : null;
    return {
      alert: {
        severity: labelSeverities[String(rule.tags?.severity ?? "").toLowerCase()] ?? "medium",
        title: rule.title ?? rule.ruleName ?? null,
        description: rule.message || rule.title || rule.ruleName || "(no description)",
        alert_id: rule.ruleId ?? newAlertId,
        triggered_at: new Date(nowMs).toISOString(),
        state,
        is_test: rule.title === "[Alerting] Test notification",
        details: details(
          { State: rule.state, Rule: rule.ruleName, Values: values.join(", "), Image: rule.imageUrl },
          toFacts(rule.tags),
        ),
        link: rule.ruleUrl ?? null,
        metadata: { title: rule.title ?? null, tags: rule.tags ?? {} },
      },
      eventKey: null,
      incident,
    };
  },
};
