import * as v from "valibot";
import { Severity } from "../../api/webhooks/investigate.ts";
import {
  AffectedEntities,
  details,
  MAX_ALERT_TEXT_LENGTH,
  MAX_ID_LENGTH,
  parsePayload,
  requiredText,
  toFacts,
  toTimestamp,
} from "./fields.ts";
import type { AlertAdapter } from "./types.ts";

const entries = {
  alert_type: v.optional(
    v.picklist(["quota_threshold", "usage_anomaly", "compliance_violation", "security_incident"]),
    "security_incident",
  ),
  severity: Severity,
  description: v.pipe(requiredText(MAX_ALERT_TEXT_LENGTH), v.minLength(1, "must not be empty")),
  affected_entities: AffectedEntities,
  alert_id: v.nullish(v.pipe(requiredText(MAX_ID_LENGTH), v.minLength(1, "must not be empty"))),
  triggered_at: v.nullish(
    v.pipe(
      v.string(),
      v.check((value) => !Number.isNaN(Date.parse(value)), "must be an ISO 8601 timestamp"),
    ),
  ),
  metadata: v.nullish(v.record(v.string(), v.unknown())),
};

/** Adapter for the generic format of this service, which accepts any payload. */
export const customAdapter: AlertAdapter = {
  provider: "custom",
  label: "Custom",
  matches: () => true,
  fields: Object.keys(entries),
  normalize(payload, { nowMs, newAlertId }) {
    const alert = parsePayload(v.looseObject(entries), payload);
    const affected = alert.affected_entities ?? [];
    const entities = affected.map(({ entity_type, entity_id }) => `${entity_type} ${entity_id}`).join(", ");
    return {
      alert: {
        severity: alert.severity,
        title: null,
        description: alert.description,
        alert_id: alert.alert_id ?? newAlertId,
        triggered_at: toTimestamp(alert.triggered_at, nowMs),
        state: null,
        details: details(
          {
            Type: payload.alert_type === undefined ? null : alert.alert_type.replaceAll("_", " "),
            Affected: entities,
          },
          toFacts(alert.metadata),
        ),
        link: null,
        metadata: { alert_type: alert.alert_type, affected_entities: affected, ...alert.metadata },
      },
      eventKey: alert.alert_id ?? null,
      incident: null,
    };
  },
};
