import type { GuardOptions } from "./permission-guard.ts";

/** Start parameters of a worker thread, passed as its `workerData`. */
export interface WorkerStart extends GuardOptions {
  functionName: string;
  functionArn: string;
  directory: string;
  /** Module and export of the handler: `file.export`. */
  handler: string;
  memoryMb: number;
  logGroup: string;
  logStream: string;
  /** File of the grant log, which records the permissions that functions have and use. */
  grantLog: string | undefined;
  /** Directory for the compiled code of functions, which starts of other workers use. */
  codeCache: string | undefined;
}

/** Message from the function host to a worker. */
export type ToWorker =
  | { type: "invoke"; id: number; requestId: string; deadline: number; event: string }
  /** Tells the worker that the client has received the chunk with `awaitsResume`. */
  | { type: "resume"; id: number }
  /** Tells the worker that the client closed the connection before the end of the response. */
  | { type: "disconnect"; id: number };

/** Message from a worker to the function host. */
export type FromWorker =
  | { type: "ready" }
  /** Reports that the handler could not be loaded. */
  | { type: "broken"; failure: FunctionFailure }
  | { type: "result"; id: number; payload: string }
  | { type: "failure"; id: number; failure: FunctionFailure }
  /** Part of a streamed response. The first one has status and headers. With `awaitsResume`, the worker waits for `resume`. */
  | { type: "chunk"; id: number; head?: ResponseHead; awaitsResume?: true; last?: true; chunk: string | Uint8Array }
  /** Reports that the streamed response is complete; the handler can still be running. */
  | { type: "end"; id: number }
  /** Reports that the invocation has ended: the handler has returned and the response is complete. */
  | { type: "done"; id: number };

/** Status and headers of a streamed HTTP response, as passed to `HttpResponseStream.from`. */
export interface ResponseHead {
  statusCode?: number;
  headers?: Record<string, string>;
  cookies?: string[];
}

/** Error object that Lambda returns to callers. */
export interface FunctionFailure {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}
