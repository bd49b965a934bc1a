import * as v from "valibot";
import { Severity } from "../../../api/webhooks/investigate.ts";
import { affectedIn, parseCommonFields } from "../fields.ts";
import { asText, textAt } from "../paths.ts";
import type { AlertSource } from "../source.ts";

const alertTypes = ["quota_threshold", "usage_anomaly", "compliance_violation", "security_incident"];

/** Generic format of this service. */
export const customSource: AlertSource = {
  name: "",
  matches: ({ severity, description }) => v.is(Severity, severity) && asText(description) !== null,
  text: "description",
  severity: "severity",
  time: "triggered_at",
  id: "alert_id",
  incident: null,
  event: ["alert_id"],
  facts: {
    Type: (payload) => textAt(payload, "alert_type")?.replaceAll("_", " "),
    Affected: affectedIn,
  },
  moreFacts: (payload) => parseCommonFields(payload).metadata ?? {},
  metadata: (payload) => {
    const { affected_entities, metadata } = parseCommonFields(payload);
    const type = textAt(payload, "alert_type");
    const alert_type = type !== null && alertTypes.includes(type) ? type : "security_incident";
    return { alert_type, affected_entities: affected_entities ?? [], ...metadata };
  },
  fields: ["alert_type", "severity", "description", "affected_entities", "alert_id", "triggered_at", "metadata"],
};
