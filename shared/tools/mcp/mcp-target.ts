/** Server with its credentials. */
export interface McpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Revision that the server spoke before; null if it is not known. */
  readonly protocolVersion: string | null;
}

/** Options of a request. */
export interface McpRequestOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Fields of `_meta`, such as `traceparent`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  onProgress?(message: string): void;
}
