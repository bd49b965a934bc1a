/**
 * Entry point of a function worker: emulates Lambda's Node.js runtime with concurrent invocations. Started by
 * `function-instance.ts`, which sets the environment.
 */
import { enableCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { setGrantLog } from "./authorization.ts";
import { loadHandler } from "./load-handler.ts";
import { enforcePermissions } from "./permission-guard.ts";
import { awslambda, isStreaming, ResponseStream } from "./response-stream.ts";
import type { FromWorker, FunctionFailure, ToWorker, WorkerStart } from "./worker-messages.ts";

const start = workerData as WorkerStart;
const streams = new Map<number, ResponseStream>();
/** Controllers that abort `disconnectSignal` of streaming invocations, by id of the invocation. */
const connections = new Map<number, AbortController>();
const port = parentPort;
if (!port) throw new Error("worker.ts must run in a worker thread");

const post = (message: FromWorker) => port.postMessage(message);

setGrantLog(start.grantLog);
enforcePermissions(start);
Object.assign(globalThis, { awslambda });

// Node writes new entries when the worker ends.
if (start.codeCache !== undefined) enableCompileCache(start.codeCache);
loadHandler(start.directory, start.handler).then(serve, (error: unknown) =>
  post({ type: "broken", failure: toFailure(error) }),
);

function serve(handler: unknown): void {
  port?.on("message", (message: ToWorker) => {
    if (message.type === "invoke") run(handler, message);
    else if (message.type === "disconnect") connections.get(message.id)?.abort();
    else streams.get(message.id)?.resume();
  });
  post({ type: "ready" });
}

async function run(handler: unknown, { id, requestId, deadline, event }: ToWorker & { type: "invoke" }): Promise<void> {
  process.env._X_AMZN_TRACE_ID = traceId(requestId);
  const context = createContext(requestId, deadline);
  try {
    if (isStreaming(handler)) await runStreaming(handler, id, JSON.parse(event), context);
    else
      post({ type: "result", id, payload: JSON.stringify((await callPlainHandler(handler, event, context)) ?? null) });
  } catch (error) {
    post({ type: "failure", id, failure: toFailure(error) });
  } finally {
    streams.delete(id);
    connections.delete(id);
  }
}

async function runStreaming(
  handler: (event: unknown, response: ResponseStream, context: unknown) => unknown,
  id: number,
  event: unknown,
  context: object,
): Promise<void> {
  const response = new ResponseStream(parentPort as NonNullable<typeof parentPort>, id);
  streams.set(id, response);
  const connection = new AbortController();
  connections.set(id, connection);
  const finished = new Promise<void>((resolve, reject) => response.once("close", resolve).once("error", reject));
  // Awaited below. Prevents an unhandled rejection when the stream fails while the handler is still running.
  finished.catch(() => {});
  // Lambda has no such signal: on AWS, a function continues after the client has disconnected.
  await handler(event, response, Object.assign(context, { disconnectSignal: connection.signal }));
  await finished;
  post({ type: "done", id });
}

type PlainHandler = (event: unknown, context: object, callback: (error: unknown, result: unknown) => void) => unknown;

/** Calls a handler that returns its result as a promise or through the callback parameter. */
function callPlainHandler(handler: unknown, event: string, context: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const callback = (error: unknown, result: unknown) => (error ? reject(error) : resolve(result));
    const returned = (handler as PlainHandler)(JSON.parse(event), context, callback);
    if (returned instanceof Promise || (handler as PlainHandler).length < 3) resolve(returned);
  });
}

/**
 * Returns the context argument of a handler.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html
 */
function createContext(awsRequestId: string, deadline: number): object {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: start.functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: start.functionArn,
    memoryLimitInMB: String(start.memoryMb),
    awsRequestId,
    logGroupName: start.logGroup,
    logStreamName: start.logStream,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

function toFailure(error: unknown): FunctionFailure {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error) };
  return {
    errorType: error.name,
    errorMessage: error.message,
    ...(error.stack && { trace: error.stack.split("\n") }),
  };
}

function traceId(requestId: string): string {
  const digits = requestId.replaceAll("-", "");
  return `Root=1-${digits.slice(0, 8)}-${digits.slice(8, 32)};Sampled=0`;
}
