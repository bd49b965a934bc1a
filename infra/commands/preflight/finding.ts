/** Result of one check. `unchecked` is neither good nor bad: the text says what to do to check it. */
export interface PreflightFinding {
  readonly check: string;
  readonly status: "ok" | "problem" | "unchecked";
  /** Finding in words; unless the status is `ok`, it ends with what to do. */
  readonly text: string;
}

export type Result = Omit<PreflightFinding, "check">;

/** Values that are passed to the deployment as CDK context: `-c stage=<name>` and so on. */
export interface PreflightOptions {
  readonly stage: string;
  readonly domain?: string;
  readonly certificate?: string;
  /** Number of deployments of the service in the account, with this one; 1 by default. */
  readonly cells?: number;
  /** True to request one token of each model in the settings, which costs money. */
  readonly hasModelRequest?: boolean;
}

export const ok = (text: string): Result => ({ status: "ok", text });
export const problem = (text: string): Result => ({ status: "problem", text });
export const unchecked = (text: string): Result => ({ status: "unchecked", text });

/** Error of a check that could not be made. Its message says what to do. */
export class UncheckedError extends Error {
  override name = "UncheckedError";
}
