import type { Statement } from "./permissions.ts";

/** What a worker is started with. */
export type WorkerStart = {
  functionName: string;
  functionArn: string;
  directory: string;
  /** `file.export`, as in the template. */
  handler: string;
  memoryMb: number;
  logGroup: string;
  logStream: string;
  /** Host and port of the table server: requests there are held against `statements`. */
  tableHost: string;
  /** The role's session ARN, as AWS names it in refusals. */
  sessionArn: string;
  statements: Statement[];
};

/** From the function host to a worker. */
export type ToWorker =
  | { type: "invoke"; id: number; requestId: string; deadline: number; event: string }
  /** The client has taken the chunk that waited. */
  | { type: "resume"; id: number };

/** From a worker to the function host. */
export type FromWorker =
  | { type: "ready" }
  /** The handler could not be loaded. */
  | { type: "broken"; failure: FunctionFailure }
  | { type: "result"; id: number; payload: string }
  | { type: "failure"; id: number; failure: FunctionFailure }
  /** A piece of a streamed response. The first one brings status and headers; one that waits wants a `resume`. */
  | { type: "chunk"; id: number; head?: ResponseHead; waits?: true; last?: true; chunk: string | Uint8Array }
  /** The streamed response is complete, though the handler may go on. */
  | { type: "end"; id: number }
  /** The invocation is over: the handler settled and the response is complete. */
  | { type: "done"; id: number };

/** Status and headers of a streamed HTTP response, as `HttpResponseStream.from` takes them. */
export type ResponseHead = { statusCode?: number; headers?: Record<string, string>; cookies?: string[] };

/** The error object that Lambda gives to callers. */
export type FunctionFailure = { errorType: string; errorMessage: string; trace?: string[] };
