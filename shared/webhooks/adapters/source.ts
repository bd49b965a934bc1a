import type { Severity } from "../../api/webhooks/investigate.ts";
import type { AlertProvider } from "../../api/webhooks/webhooks.ts";
import type { SignatureHeader } from "../signature-header.ts";
import type { Place, Places } from "./paths.ts";
import type { Alert, AlertPayload, AlertState } from "./types.ts";
import type { Words } from "./words.ts";

/** Severity of checks that know only up and down. */
export const ofCheck = (state: AlertState | null): Severity => (state === "resolved" ? "low" : "high");

/** Tool whose payloads are read by paths: a row of the table of sources. */
export interface AlertSource {
  /** Name of the tool. */
  readonly name: string;
  /** `custom` by default. */
  readonly provider?: AlertProvider;
  /** Header that only this tool sends. */
  readonly header?: string;
  /** Lists of paths. A payload that has all paths of one of them is the tool's. */
  readonly marks?: readonly (readonly string[])[];
  readonly matches?: (payload: AlertPayload) => boolean;
  readonly title?: Places;
  readonly text?: Places;
  readonly severity?: Places;
  readonly severityWords?: Words<Severity>;
  /** Severity without a known word; by default `low` for a resolved alert and `medium` for any other. */
  readonly severityOf?: Severity | ((state: AlertState | null, payload: AlertPayload) => Severity);
  readonly state?: Places;
  readonly stateWords?: Words<AlertState>;
  /** Words of the channel for states, which come before those of the tool. */
  readonly channelWords?: Words<AlertState>;
  readonly time?: Places;
  readonly link?: Places;
  readonly id?: Places;
  /** Incident to which events of one alert belong; `id` by default. */
  readonly incident?: Places | null;
  /**
   * Parts that identify the event together, of which the first is required. By default, id, state and time do, if there are an id
   * and a time.
   */
  readonly event?: readonly Place[];
  readonly isTest?: (payload: AlertPayload) => boolean;
  /** Facts for the message by label. */
  readonly facts?: Readonly<Record<string, Places>>;
  /** Free-form facts, which follow the others. */
  readonly moreFacts?: (payload: AlertPayload) => Readonly<Record<string, unknown>>;
  /** Metadata of the alert; the whole payload by default. */
  readonly metadata?: (
    payload: AlertPayload,
    alert: Pick<Alert, "title" | "state">,
  ) => Readonly<Record<string, unknown>>;
  /** Fields that functions read, or that tell nothing. */
  readonly fields?: readonly string[] | ((payload: AlertPayload) => readonly string[]);
  /** Adds values to the payload that are encoded in it. */
  readonly prepare?: (payload: AlertPayload) => AlertPayload;
  /** Headers in which the tool signs, by the secret that it makes itself. */
  readonly signature?: SignatureHeader | readonly SignatureHeader[];
}
