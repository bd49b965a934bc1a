/** Server with its credentials. */
export interface McpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Revision that the server spoke before; null if it is not known. */
  readonly protocolVersion: string | null;
}

/** Answers to questions, in the terms of the protocol. */
export interface CallResumption {
  readonly inputResponses: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
}

export interface McpRequestOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Fields of `_meta`, such as `traceparent`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the user can answer questions of the server. */
  readonly canAsk?: boolean | undefined;
  /** Answers to the questions of an earlier request, which this one repeats. */
  readonly resumption?: CallResumption | undefined;
  onProgress?(message: string): void;
}
