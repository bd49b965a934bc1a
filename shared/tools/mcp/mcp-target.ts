/** URL and credentials of a tool server. */
export interface McpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Protocol revision of the last connection; null if it is unknown. */
  readonly protocolVersion: string | null;
}

/** Answers to a server's questions, in the protocol's format. */
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
  /** True if a user can answer questions of the server. */
  readonly canAsk?: boolean | undefined;
  /** Answers to the questions that interrupted an earlier request, which this request repeats or resumes. */
  readonly resumption?: CallResumption | undefined;
  onProgress?(message: string): void;
}
