import * as v from "valibot";
import { AlertProvider, Severity } from "../api/channels/webhooks.ts";
import { isStorable } from "../api/json.ts";
import { invalidField, ServiceError } from "../lib/errors.ts";
import { fieldErrors } from "../lib/field-errors.ts";
import { truncate } from "../lib/truncate.ts";

/** An alert in the service's own words, whoever it came from. */
export interface Alert {
  readonly provider: AlertProvider;
  readonly severity: Severity;
  readonly description: string;
  readonly alert_id: string;
  /** ISO 8601, UTC. */
  readonly triggered_at: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An alert, and what ties it to other deliveries. */
export interface NormalizedAlert {
  readonly alert: Alert;
  /** What makes another delivery the same; null where only an equal body does. */
  readonly sameness: string | null;
  /** The incident that this event belongs to, where the provider names one. */
  readonly incident: string | null;
}

/** What cannot be read off a payload. */
export interface AlertDefaults {
  /** Epoch milliseconds of now. */
  readonly now: number;
  readonly freshId: string;
}

/** An alert is never refused for being long: what is too much is cut off. */
const cut = (limit: number) => (given: string | number) => {
  const whole = String(given);
  return whole.length <= limit ? whole : `${truncate(whole, limit - 1)}…`;
};
const text = (limit: number) =>
  v.pipe(
    v.string(),
    v.transform((given) => cut(limit)(given)),
  );
const optionalText = (limit: number) => v.nullish(v.pipe(v.union([v.string(), v.number()]), v.transform(cut(limit))));

/** Characters of metadata, as JSON, that an alert keeps. */
const metadataAtMost = 50_000;

function kept(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isStorable(metadata) && JSON.stringify(metadata).length <= metadataAtMost
    ? metadata
    : { omitted: "The metadata was too large to keep." };
}

const Incident = v.looseObject({
  event: v.looseObject({
    id: optionalText(200),
    event_type: optionalText(200),
    created_on: optionalText(100),
    occurred_at: optionalText(100),
    data: v.looseObject({
      id: optionalText(200),
      title: optionalText(20_000),
      description: optionalText(20_000),
      urgency: optionalText(50),
      status: optionalText(50),
      // Events about what people say of an incident name it beside their own id.
      content: optionalText(20_000),
      message: optionalText(20_000),
      incident: v.optional(v.looseObject({ id: optionalText(200) })),
    }),
  }),
});

const Monitor = v.looseObject({
  alert_id: v.pipe(v.union([v.string(), v.number()]), v.transform(cut(200))),
  alert_title: optionalText(20_000),
  alert_status: optionalText(200),
  alert_transition: optionalText(200),
  alert_severity: optionalText(50),
  body: optionalText(20_000),
  last_updated: optionalText(100),
});

const Custom = v.looseObject({
  alert_type: v.optional(
    v.picklist(["quota_threshold", "usage_anomaly", "compliance_violation", "security_incident"]),
    "security_incident",
  ),
  severity: Severity,
  description: v.pipe(text(20_000), v.minLength(1, "must not be empty")),
  affected_entities: v.nullish(
    v.pipe(
      v.array(
        v.looseObject({
          entity_type: v.picklist(["user", "project", "conversation", "tenant"]),
          entity_id: v.pipe(text(200), v.minLength(1)),
        }),
      ),
      v.maxLength(100, "must name at most 100 entities"),
    ),
  ),
  alert_id: v.nullish(v.pipe(text(200), v.minLength(1, "must not be empty"))),
  triggered_at: v.nullish(
    v.pipe(
      v.string(),
      v.check((given) => !Number.isNaN(Date.parse(given)), "must be an ISO 8601 timestamp"),
    ),
  ),
  metadata: v.nullish(v.record(v.string(), v.unknown())),
});

/** A payload as its provider's schema has it. @throws ServiceError `validation_failed` */
function read<Schema extends v.GenericSchema>(schema: Schema, payload: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, payload);
  if (result.success) return result.output;
  const errors = fieldErrors(result.issues, "body");
  throw new ServiceError("validation_failed", "The payload is not one of this provider.", { errors });
}

/** A moment as providers write it: ISO 8601, or epoch seconds or milliseconds; now where there is none to be read. */
function moment(given: string | null | undefined, now: number): string {
  const number = Number(given || Number.NaN);
  const milliseconds = Number.isNaN(number) ? Date.parse(given ?? "") : number < 1e11 ? number * 1_000 : number;
  const date = new Date(milliseconds);
  return (Number.isNaN(date.getTime()) ? new Date(now) : date).toISOString();
}

const monitorSeverity: Readonly<Record<string, Severity>> = { critical: "critical", error: "high", warning: "medium" };

/** Whose payload it is: as the header says, else by its shape. @throws ServiceError `validation_failed` */
export function providerOf(header: string | undefined, payload: Readonly<Record<string, unknown>>): AlertProvider {
  if (header !== undefined) {
    if (v.is(AlertProvider, header)) return header;
    const message = "must be incident, monitor or custom";
    throw invalidField({ path: "X-Webhook-Provider", location: "header", code: "invalid_value", message });
  }
  if (typeof payload.event === "object" && payload.event !== null && !Array.isArray(payload.event)) return "incident";
  return "alert_id" in payload ? "monitor" : "custom";
}

function incidentAlert(payload: unknown, { now, freshId }: AlertDefaults): NormalizedAlert {
  const { event } = read(Incident, payload);
  const { data } = event;
  const incident = data.incident?.id ?? data.id ?? null;
  return {
    alert: {
      provider: "incident",
      severity: data.urgency === "high" ? "high" : "medium",
      description: data.description || data.title || data.content || data.message || "(no description)",
      alert_id: event.id || freshId,
      triggered_at: moment(event.created_on ?? event.occurred_at, now),
      metadata: {
        event_type: event.event_type ?? null,
        incident_id: incident,
        title: data.title ?? null,
        status: data.status ?? null,
      },
    },
    sameness: event.id ? event.id : null,
    incident,
  };
}

function monitorAlert(payload: unknown, { now }: AlertDefaults): NormalizedAlert {
  const given = read(Monitor, payload);
  const { alert_id, alert_title = null, alert_status = null, alert_transition = null, last_updated = null } = given;
  return {
    alert: {
      provider: "monitor",
      severity: monitorSeverity[given.alert_severity ?? ""] ?? "low",
      description: given.body || alert_title || "(no description)",
      alert_id,
      triggered_at: moment(last_updated, now),
      metadata: { title: alert_title, status: alert_status, transition: alert_transition },
    },
    // The alert's id names the monitor: its transitions are alerts of their own.
    sameness: JSON.stringify([alert_id, alert_transition, last_updated]),
    incident: null,
  };
}

function customAlert(payload: unknown, { now, freshId }: AlertDefaults): NormalizedAlert {
  const given = read(Custom, payload);
  return {
    alert: {
      provider: "custom",
      severity: given.severity,
      description: given.description,
      alert_id: given.alert_id ?? freshId,
      triggered_at: moment(given.triggered_at, now),
      metadata: {
        alert_type: given.alert_type,
        affected_entities: given.affected_entities ?? [],
        ...given.metadata,
      },
    },
    sameness: given.alert_id ?? null,
    incident: null,
  };
}

const readers = { incident: incidentAlert, monitor: monitorAlert, custom: customAlert } as const;

/**
 * A provider's payload as an alert.
 * @throws ServiceError `validation_failed` for a payload that this provider does not send
 */
export function normalizeAlert(provider: AlertProvider, payload: unknown, defaults: AlertDefaults): NormalizedAlert {
  const normalized = readers[provider](payload, defaults);
  return { ...normalized, alert: { ...normalized.alert, metadata: kept(normalized.alert.metadata) } };
}
