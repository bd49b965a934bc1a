import { ServiceError } from "../lib/errors.ts";

/**
 * Error if a tool server could not be reached, rejected a request or broke the protocol. `message` is shown to users
 * and models.
 */
export class ToolServerError extends Error {
  override name = "ToolServerError";
  /** True if the server may have executed the request. */
  readonly isOutcomeUnknown: boolean;
  /** JSON-RPC error code; null if the server sent none. */
  readonly rpcCode: number | null;
  readonly rpcData: unknown;
  /** HTTP status of the response; 0 if there was none. */
  readonly status: number;

  constructor(
    message: string,
    options: { isOutcomeUnknown?: boolean; rpcCode?: number; rpcData?: unknown; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
    this.rpcCode = options.rpcCode ?? null;
    this.rpcData = options.rpcData;
    this.status = options.status ?? 0;
  }
}

/** Converts an error of a tool server to one that clients receive. Returns any other error unchanged. */
export const toToolServerFailure = (error: unknown): unknown =>
  error instanceof ToolServerError ? new ServiceError("tool_server_failed", error.message, { cause: error }) : error;
