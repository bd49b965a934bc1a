import type { AlertPaths } from "../../api/channels/alert-paths.ts";
import type { Severity } from "../../api/channels/investigate.ts";
import type { AlertProvider } from "../../api/channels/webhooks.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";

/** State of the incident that an alert reports on. */
export type AlertState = "open" | "acknowledged" | "resolved";

/** Payload of a delivery: a JSON object whose form depends on the provider. */
export type AlertPayload = Readonly<Record<string, unknown>>;

/** An alert in the service's own form, regardless of its provider. */
export interface Alert {
  readonly provider: AlertProvider;
  readonly severity: Severity;
  readonly title: string | null;
  readonly description: string;
  readonly alert_id: string;
  /** ISO 8601, UTC. */
  readonly triggered_at: string;
  /** Null where the provider reports no state. */
  readonly state: AlertState | null;
  /** True for a delivery that tests the channel. */
  readonly is_test: boolean;
  /** Labeled facts for readers. */
  readonly details: Readonly<Record<string, string>>;
  readonly link: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Alert with the keys that relate it to other deliveries. */
export interface NormalizedAlert {
  readonly alert: Alert;
  /** Identity of the event; null if only an equal body is the same event. */
  readonly eventKey: string | null;
  /** Incident that this event belongs to, if the provider names one. */
  readonly incident: string | null;
}

/** Values for fields that a payload does not contain. */
export interface AlertDefaults {
  readonly nowMs: number;
  readonly newAlertId: string;
  /** Paths of the channel to the parts of an alert. */
  readonly paths?: AlertPaths | null;
}

/** Format of one provider's deliveries. */
export interface AlertAdapter {
  readonly provider: AlertProvider;
  readonly label: string;
  /** Recognizes the provider by its payload, or by a header that only it sends. */
  matches(payload: AlertPayload, headers: RequestHeaders): boolean;
  /** Top-level fields that the adapter reads. The response to a delivery lists all other fields as ignored. */
  readonly fields: readonly string[];
  /** @throws ServiceError `validation_failed` for a payload that this provider does not send */
  normalize(payload: AlertPayload, defaults: AlertDefaults): NormalizedAlert;
}
