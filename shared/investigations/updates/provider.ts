import type { IncidentAction, WriteBack } from "../../api/webhooks/write-back.ts";
import type { Alert } from "../../webhooks/adapters/types.ts";

interface UpdateToWrite {
  readonly id: string;
  /** Id of the incident in the monitoring tool. */
  readonly target: string;
  readonly action: IncidentAction;
  readonly text: string | null;
  readonly requested_by: string;
  /** True if an earlier attempt may already have sent the update. */
  readonly isRepeated: boolean;
}

/** Settings that requests to a provider depend on. */
type ProviderSettings = Pick<WriteBack, "from">;

/**
 * Sends a request to the provider.
 * @returns the parsed JSON body, or null if it is no JSON
 * @throws ProviderError for a status other than 2xx
 */
export type CallProvider = (method: "GET" | "POST" | "PUT", path: string, body?: object) => Promise<unknown>;

/** Monitoring tool to which updates of incidents are sent. */
export interface UpdateProvider {
  readonly defaultUrl: string;
  readonly actions: readonly IncidentAction[];
  readonly requires: readonly ("from" | "secret")[];
  headersOf(secret: string, settings: ProviderSettings): Record<string, string>;
  /** Returns the id of the incident that an alert belongs to, or null if it names none of this provider. */
  findTarget(alert: Alert): string | null;
  /**
   * Sends an update. If `isRepeated`, first checks whether it has already arrived, unless sending it twice has no
   * effect.
   */
  write(call: CallProvider, update: UpdateToWrite, secret: string): Promise<void>;
}

/** The provider responded with a status other than 2xx. */
export class ProviderError extends Error {
  override name = "ProviderError";
  readonly status: number;
  /** Seconds after which the provider accepts requests again; 0 if unknown. */
  readonly retryAfterSeconds: number;

  constructor(status: number, retryAfterSeconds = 0) {
    super(`status ${status}`);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get isTemporary(): boolean {
    return [408, 425, 429].includes(this.status) || this.status >= 500;
  }
}

/** Text in each note by which a repeated attempt finds it. */
export const markOf = ({ id }: Pick<UpdateToWrite, "id">): string => `Switchboard ${id}`;

/** Returns the text of a note with the user who requested it and the text of `markOf`. */
export const toNote = (update: UpdateToWrite): string =>
  `${update.text}\n\n(${update.requested_by}, ${markOf(update)})`;

export const hasMark = (response: unknown, update: UpdateToWrite): boolean =>
  JSON.stringify(response ?? null).includes(markOf(update));

export function textOf({ metadata }: Alert, name: string): string | null {
  const value = metadata[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * Returns the id, or null if it does not have the expected form. The form is checked because the id becomes part of a
 * URL path.
 */
export const idOfForm = (id: string | null, form: RegExp): string | null => (id !== null && form.test(id) ? id : null);
