import type { AlertPaths } from "../../api/webhooks/alert-paths.ts";
import type { Severity } from "../../api/webhooks/investigate.ts";
import type { AlertProvider } from "../../api/webhooks/webhooks.ts";

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
  /** False if the payload has no time, so that the order of events is that of their arrival. */
  readonly isTimed: boolean;
  /** Paths by which a payload was read that no source recognizes; null for any other. */
  readonly guessedPaths: AlertPaths | null;
}

/** Values for fields that a payload does not contain. */
export interface AlertDefaults {
  readonly nowMs: number;
  readonly newAlertId: string;
}
