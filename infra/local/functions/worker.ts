/**
 * The inside of a function's worker: Lambda's Node runtime, many invocations at a time. Loaded by `function-instance.ts`, which
 * sets the environment; everything the function sees of it is what Lambda shows.
 */
import { parentPort, workerData } from "node:worker_threads";
import { loadHandler } from "./load-handler.ts";
import { guardTable } from "./permission-guard.ts";
import { awslambda, isStreaming, ResponseStream } from "./response-stream.ts";
import type { FromWorker, FunctionFailure, ToWorker, WorkerStart } from "./worker-messages.ts";

const start = workerData as WorkerStart;
const streams = new Map<number, ResponseStream>();
const port = parentPort;
if (!port) throw new Error("worker.ts runs in a worker thread only");

const post = (message: FromWorker) => port.postMessage(message);

guardTable(start.tableHost, start.sessionArn, start.statements);
Object.assign(globalThis, { awslambda });

loadHandler(start.directory, start.handler).then(serve, (error: unknown) =>
  post({ type: "broken", failure: failureOf(error) }),
);

function serve(handler: unknown): void {
  port?.on("message", (message: ToWorker) => {
    if (message.type === "invoke") run(handler, message);
    else streams.get(message.id)?.resume();
  });
  post({ type: "ready" });
}

async function run(handler: unknown, { id, requestId, deadline, event }: ToWorker & { type: "invoke" }): Promise<void> {
  process.env._X_AMZN_TRACE_ID = traceId(requestId);
  const context = contextOf(requestId, deadline);
  try {
    if (isStreaming(handler)) await stream(handler, id, JSON.parse(event), context);
    else post({ type: "result", id, payload: JSON.stringify((await call(handler, event, context)) ?? null) });
  } catch (error) {
    post({ type: "failure", id, failure: failureOf(error) });
  } finally {
    streams.delete(id);
  }
}

async function stream(
  handler: (event: unknown, response: ResponseStream, context: unknown) => unknown,
  id: number,
  event: unknown,
  context: unknown,
): Promise<void> {
  const response = new ResponseStream(parentPort as NonNullable<typeof parentPort>, id);
  streams.set(id, response);
  const finished = new Promise<void>((resolve, reject) => response.once("close", resolve).once("error", reject));
  // Awaited below, but an error may come first while the handler is still running.
  finished.catch(() => {});
  await handler(event, response, context);
  await finished;
  post({ type: "done", id });
}

type PlainHandler = (event: unknown, context: object, callback: (error: unknown, result: unknown) => void) => unknown;

/** A handler answers by the promise it returns, or else through its third parameter. */
function call(handler: unknown, event: string, context: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const answer = (error: unknown, result: unknown) => (error ? reject(error) : resolve(result));
    const returned = (handler as PlainHandler)(JSON.parse(event), context, answer);
    if (returned instanceof Promise || (handler as PlainHandler).length < 3) resolve(returned);
  });
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html */
function contextOf(awsRequestId: string, deadline: number): object {
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

function failureOf(error: unknown): FunctionFailure {
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
