import type { AlertPaths } from "../../api/webhooks/alert-paths.ts";
import type { Severity } from "../../api/webhooks/investigate.ts";
import type { AlertProvider } from "../../api/webhooks/webhooks.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";

/** State of the incident to which an alert belongs. */
export type AlertState = "open" | "acknowledged" | "resolved";

/** Payload of a delivery: a JSON object whose fields depend on the provider. */
export type AlertPayload = Readonly<Record<string, unknown>>;

/** Alert in the service's own form, which is the same for all providers. */
export interface Alert {
  readonly provider: AlertProvider;
  readonly severity: Severity;
  readonly title: string | null;
  readonly description: string;
  readonly alert_id: string;
  /** ISO 8601, UTC. */
  readonly triggered_at: string;
  /** Null if the provider sends no state. */
  readonly state: AlertState | null;
  /** True for a delivery that only tests the channel. */
  readonly is_test: boolean;
  /** Facts by label, for the message. */
  readonly details: Readonly<Record<string, string>>;
  readonly link: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Alert with the keys that relate it to other deliveries. */
export interface NormalizedAlert {
  readonly alert: Alert;
  /** Identifies the event; null if only an identical body counts as the same event. */
  readonly eventKey: string | null;
  /** Identifies the incident of the event at the provider; null if the provider names none. */
  readonly incident: string | null;
}

/** Alert that an adapter has read. Its provider is that of the adapter and it is no test, unless it says otherwise. */
export interface ReadAlert extends Omit<NormalizedAlert, "alert"> {
  readonly alert: Omit<Alert, "provider" | "is_test"> & Partial<Pick<Alert, "provider" | "is_test">>;
}

/** Values for fields that a payload does not contain, and paths that the channel configures. */
export interface AlertDefaults {
  readonly nowMs: number;
  readonly newAlertId: string;
  /** Paths of the channel to the parts of an alert. */
  readonly paths?: AlertPaths | null;
}

export interface AlertAdapter {
  readonly provider: AlertProvider;
  readonly label: string;
  /** Returns true if payload or headers have a form that only this provider sends. */
  matches(payload: AlertPayload, headers: RequestHeaders): boolean;
  /** Top-level fields that the adapter reads. The response to a delivery lists all other fields as ignored. */
  readonly fields: readonly string[];
  /** @throws ServiceError `validation_failed` if the payload lacks required fields of this provider */
  normalize(payload: AlertPayload, defaults: AlertDefaults): ReadAlert;
}
