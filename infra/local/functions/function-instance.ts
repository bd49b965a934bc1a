import { randomUUID } from "node:crypto";
import { Worker } from "node:worker_threads";
import { arn, region } from "../assembly/local-account.ts";
import { printLines, warn } from "../log.ts";
import { findDenial } from "./authorization.ts";
import type { LambdaFunction } from "./lambda-function.ts";
import type { FromWorker, FunctionFailure, ResponseHead, ToWorker, WorkerStart } from "./worker-messages.ts";
import { workerSource } from "./worker-source.ts";

/** Destination of a streamed response. */
export interface Sink {
  /** Writes a chunk; the first one comes with status and headers. Returns false when the client applies backpressure. */
  write(chunk: string | Uint8Array, head: ResponseHead | undefined): boolean;
  /** Calls back when the written data has drained or the client has disconnected. */
  onDrain(resume: () => void): void;
  /** Calls back when the client disconnects before the end of the response. */
  onDisconnect(callback: () => void): void;
  end(): void;
}

/** Error of a failed invocation: the function threw, its worker crashed, or it timed out. */
export class FunctionError extends Error {
  override name = "FunctionError";
  readonly failure: FunctionFailure;
  readonly timedOut: boolean;
  constructor(failure: FunctionFailure, timedOut = false) {
    super(`${failure.errorType}: ${failure.errorMessage}`);
    this.failure = failure;
    this.timedOut = timedOut;
  }
}

/** Error of an invocation that was rejected because of the limit of concurrent invocations. The function was not called. */
export class ThrottledError extends FunctionError {
  override name = "ThrottledError";
  constructor() {
    super({ errorType: "TooManyRequestsException", errorMessage: "Rate Exceeded." });
  }
}

/** Endpoints of the local AWS services, which functions get in the environment variables that AWS SDKs read. */
export interface Endpoints {
  dynamodb: string;
  /** Endpoint of SQS, S3, Lambda and Secrets Manager. */
  services: string;
}

interface InstanceOptions {
  endpoints: Endpoints;
  /** File of the grant log, which records the permissions that functions have and use. */
  grantLog?: string | undefined;
  /** Directory for the compiled code of functions. */
  codeCache?: string | undefined;
}

interface PendingInvocation {
  sink: Sink | undefined;
  resolve: (payload: string) => void;
  reject: (error: FunctionError) => void;
  timer: NodeJS.Timeout;
}

/** Maximum time for loading the module of a function. Lambda allows ten seconds; a busy laptop can be slower. */
const maxInitMs = 20_000;

/**
 * Size of the heap for new objects, which limits the memory of a worker. By default, a thread collects garbage only after 48
 * MB.
 */
const maxYoungGenerationSizeMb = 4;

/** The runner's own `--import` options, such as a debugger hook, which its workers get, too. */
const importOptions = process.execArgv.filter((option) => option.startsWith("--import="));

let invocationCount = 0;

/** A worker thread that runs one function and serves concurrent invocations. */
export class FunctionInstance {
  readonly lambda: LambdaFunction;
  /** Time of the last invocation. The instance with the earliest one is stopped first. */
  lastUsedAt = 0;
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingInvocation>();
  readonly #ready: Promise<void>;
  readonly #onRetire: () => void;
  /** Resolves when the worker has exited. */
  readonly exited: Promise<void>;
  #starting = 0;
  #initFailure: FunctionFailure | undefined;
  #retired = false;

  /** @param onRetire called once when this instance stops accepting invocations; some can still be in progress */
  constructor(lambda: LambdaFunction, { endpoints, grantLog, codeCache }: InstanceOptions, onRetire: () => void) {
    this.lambda = lambda;
    this.#onRetire = onRetire;
    const logStream = `2026/01/01/[$LATEST]${randomUUID().replaceAll("-", "")}`;
    this.#worker = new Worker(workerSource("worker.ts"), {
      name: lambda.name,
      env: runtimeEnvironment(lambda, endpoints, logStream),
      execArgv: importOptions,
      stdout: true,
      stderr: true,
      resourceLimits: { maxYoungGenerationSizeMb },
      workerData: {
        functionName: lambda.name,
        functionArn: lambda.arn,
        directory: lambda.directory ?? "",
        handler: lambda.handler,
        memoryMb: lambda.memoryMb,
        logGroup: lambda.logGroup,
        logStream,
        role: lambda.role,
        tableHost: new URL(endpoints.dynamodb).host,
        partitionKeys: lambda.partitionKeys,
        grantLog,
        codeCache,
      } satisfies WorkerStart,
    });
    const isLogged = mayWriteLogs(lambda);
    if (isLogged) printLines(this.#worker.stdout, lambda.name, "out");
    else this.#worker.stdout.resume();
    printLines(this.#worker.stderr, lambda.name, "error");
    this.exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#ready = new Promise((resolve) => {
      const initTimer = setTimeout(() => {
        this.#initFailure = {
          errorType: "Sandbox.Timedout",
          errorMessage: "The function's module did not load in time",
        };
        resolve();
      }, maxInitMs);
      this.exited.then(() => clearTimeout(initTimer));
      this.#worker.on("message", (message: FromWorker) => {
        if (message.type === "broken") this.#initFailure = message.failure;
        if (message.type === "ready" || message.type === "broken") {
          clearTimeout(initTimer);
          resolve();
        } else this.#receive(message);
      });
      this.#worker.on("error", (error: Error) => {
        this.#initFailure ??= { errorType: error.name ?? "Error", errorMessage: error.message ?? String(error) };
      });
      this.#worker.on("exit", (code) => {
        this.#initFailure ??= {
          errorType: "Runtime.ExitError",
          errorMessage: `RequestId: unknown Error: Runtime exited with error: exit status ${code}`,
        };
        resolve();
        this.#fail(this.#initFailure);
      });
    });
  }

  get busy(): boolean {
    return this.#pending.size + this.#starting > 0;
  }

  /**
   * Invokes the function and returns its result as JSON text. With `sink`, the response of a streaming handler goes there,
   * and the promise settles when the invocation ends.
   * @throws FunctionError when the function fails, crashes or times out
   */
  async invoke(event: string, requestId: string, sink?: Sink): Promise<string> {
    this.#starting++;
    try {
      await this.#ready;
    } finally {
      this.#starting--;
    }
    if (this.#initFailure) {
      this.#retire();
      void this.#worker.terminate();
      throw new FunctionError(this.#initFailure);
    }
    const id = ++invocationCount;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#timeOut(id, requestId), this.lambda.timeoutMs);
      this.#pending.set(id, { sink, resolve, reject, timer });
      const deadline = Date.now() + this.lambda.timeoutMs;
      this.#post({ type: "invoke", id, requestId, deadline, event });
      sink?.onDisconnect(() => this.#post({ type: "disconnect", id }));
    });
  }

  /** Stops accepting invocations, and terminates the worker when those in progress have finished. */
  retire(): void {
    this.#retire();
    if (!this.busy) void this.#worker.terminate();
  }

  /** Terminates the worker; invocations in flight fail. */
  async stop(): Promise<void> {
    this.#retire();
    await this.#worker.terminate();
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: Exclude<FromWorker, { type: "ready" | "broken" }>): void {
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    switch (message.type) {
      case "chunk":
        this.#forwardChunk(message, pending.sink);
        if (message.last) pending.sink?.end();
        return;
      case "end":
        pending.sink?.end();
        return;
      case "result":
        this.#settle(message.id)?.resolve(message.payload);
        return;
      case "done":
        this.#settle(message.id)?.resolve("null");
        return;
      case "failure":
        this.#settle(message.id)?.reject(new FunctionError(message.failure));
    }
  }

  #forwardChunk({ id, chunk, head, awaitsResume }: FromWorker & { type: "chunk" }, sink: Sink | undefined): void {
    const accepted = sink?.write(chunk, head) !== false;
    if (!awaitsResume) return;
    const resume = () => this.#post({ type: "resume", id });
    if (accepted || !sink) resume();
    else sink.onDrain(resume);
  }

  #settle(id: number): PendingInvocation | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    if (this.#retired && !this.busy) void this.#worker.terminate();
    return pending;
  }

  /** Stops accepting invocations after a timeout, as Lambda does. Other invocations in progress can finish first. */
  #timeOut(id: number, requestId: string): void {
    this.#retire();
    const seconds = (this.lambda.timeoutMs / 1000).toFixed(2);
    const errorMessage = `${requestId} Task timed out after ${seconds} seconds`;
    this.#settle(id)?.reject(new FunctionError({ errorType: "Sandbox.Timedout", errorMessage }, true));
  }

  #fail(failure: FunctionFailure): void {
    this.#retire();
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new FunctionError(failure));
  }

  #retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#onRetire();
  }
}

/** Returns true if the role allows Lambda to write the function's logs and, if tracing is active, its traces. */
function mayWriteLogs({ name, role, logGroup, isTraced }: LambdaFunction): boolean {
  const isAllowed = (action: string, resource: string) => {
    const denial = findDenial(role, { action, resource });
    if (denial) warn(name, denial);
    return denial === undefined;
  };
  if (isTraced) for (const action of ["PutTraceSegments", "PutTelemetryRecords"]) isAllowed(`xray:${action}`, "*");
  const stream = arn("logs", `log-group:${logGroup}:log-stream:all`);
  return ["CreateLogStream", "PutLogEvents"].map((action) => isAllowed(`logs:${action}`, stream)).every(Boolean);
}

/**
 * Returns the environment variables that Lambda's runtime sets, with local endpoints.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
function runtimeEnvironment(lambda: LambdaFunction, endpoints: Endpoints, logStream: string): Record<string, string> {
  return {
    ...lambda.environment,
    _HANDLER: lambda.handler,
    AWS_ACCESS_KEY_ID: lambda.name,
    AWS_DEFAULT_REGION: region,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.services,
    AWS_ENDPOINT_URL_S3: endpoints.services,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.services,
    AWS_ENDPOINT_URL_SQS: endpoints.services,
    AWS_EXECUTION_ENV: `AWS_Lambda_${lambda.runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(lambda.memoryMb),
    AWS_LAMBDA_FUNCTION_NAME: lambda.name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: lambda.logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: logStream,
    AWS_REGION: region,
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_SESSION_TOKEN: "local",
    LAMBDA_TASK_ROOT: lambda.directory ?? "",
    LANG: "en_US.UTF-8",
    TZ: ":UTC",
  };
}
