import type { IncidentAction, WriteBack } from "../../api/channels/write-back.ts";
import type { Alert } from "../../channels/adapters/types.ts";

/** Incident at a provider. */
export interface UpdateTarget {
  /** Id of the incident at the provider, or a text for people where it has none. */
  readonly id: string;
  /** Labels that name an alert where it has no id. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly dashboard?: string;
  /** Time of the alert, ISO 8601. */
  readonly at: string;
}

export interface UpdateToWrite {
  readonly id: string;
  readonly investigation_id: string;
  readonly action: IncidentAction;
  readonly text: string | null;
  /** Id of the user who asked for it. */
  readonly requested_by: string;
  readonly created_at: string;
  /** True if an earlier attempt may have written it. */
  readonly isRepeated: boolean;
}

/** Settings that requests depend on. */
export type ProviderSettings = Pick<WriteBack, "from" | "repository" | "stack_url" | "silence_hours">;

/** Sends a request to the provider. @returns the body as JSON, or null @throws ProviderError */
export type CallProvider = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: object,
) => Promise<unknown>;

/** Service that updates are written to. */
export interface Provider {
  readonly defaultUrl: string | null;
  readonly actions: readonly IncidentAction[];
  readonly requires: readonly ("from" | "repository" | "secret")[];
  headersOf(secret: string, settings: ProviderSettings): Record<string, string>;
  /** Returns the id of the incident in an alert, or null if the provider knows none. */
  findTarget(alert: Alert, settings: ProviderSettings): Omit<UpdateTarget, "at"> | null;
  /** Writes an update; one that may have been written before is looked up first, unless writing it again changes nothing. */
  write(
    call: CallProvider,
    target: UpdateTarget,
    update: UpdateToWrite,
    settings: ProviderSettings & { readonly secret: string },
  ): Promise<void>;
}

/** The provider refused a request. */
export class ProviderError extends Error {
  override name = "ProviderError";
  readonly status: number;
  /** Seconds after which the provider accepts requests again. */
  readonly retryAfterSeconds: number;

  constructor(status: number, retryAfterSeconds = 0) {
    super(`status ${status}`);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Returns true if the same request can succeed later. */
  get isTemporary(): boolean {
    return [408, 425, 429].includes(this.status) || this.status >= 500;
  }
}

/** Mark in each note, by which a repeated attempt finds it. */
export const markOf = ({ id }: Pick<UpdateToWrite, "id">): string => `Switchboard ${id}`;

/** Returns the text of a note with its author and its mark. */
export const toNote = (update: UpdateToWrite, text = update.text): string =>
  `${text}\n\n(${update.requested_by}, ${markOf(update)})`;

export const hasMark = (response: unknown, update: UpdateToWrite): boolean =>
  JSON.stringify(response ?? null).includes(markOf(update));

export function textOf({ metadata }: Alert, name: string): string | null {
  const value = metadata[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns a target whose id has a known form, because it becomes part of a path. */
export const idTarget = (id: string | null, form: RegExp): Omit<UpdateTarget, "at"> | null =>
  id !== null && form.test(id) ? { id } : null;
