import { randomUUID } from "node:crypto";
import { Worker } from "node:worker_threads";
import { region } from "../assembly/local-account.ts";
import { printLines } from "../log.ts";
import type { LambdaFunction } from "./lambda-function.ts";
import type { FromWorker, FunctionFailure, ResponseHead, ToWorker, WorkerStart } from "./worker-messages.ts";
import { workerSource } from "./worker-source.ts";

/** Where a streamed response goes. */
export type Sink = {
  /** Takes one piece, the first one with status and headers; false says that it is still on its way to the client. */
  write(chunk: string | Uint8Array, head: ResponseHead | undefined): boolean;
  /** Calls back once everything written has reached the client, or there is none any more. */
  onDrain(resume: () => void): void;
  /** The response is complete. */
  end(): void;
};

/** A function did not give a result: it threw, its worker died, or it took too long. */
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

/** Addresses a function finds its AWS services at, by the variables the SDKs read. */
export type Endpoints = { dynamodb: string; sqs: string; lambda: string };

type Pending = {
  sink: Sink | undefined;
  resolve: (payload: string) => void;
  reject: (error: FunctionError) => void;
  timer: NodeJS.Timeout;
};

/** Lambda gives a module ten seconds to load, on a machine that has nothing else to do. */
const longestInitMs = 20_000;

/** What the runner was told to load first (`node --import=...`), such as a debugger's hook, its functions load first as well. */
const preloads = process.execArgv.filter((option) => option.startsWith("--import="));

let invocations = 0;

/** One worker thread with one function in it, serving many invocations at a time. */
export class FunctionInstance {
  readonly lambda: LambdaFunction;
  /** When it was last called, for choosing which one to stop. */
  usedAt = 0;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #ready: Promise<void>;
  readonly #onRetire: () => void;
  /** Settled when the worker is gone. */
  readonly exited: Promise<void>;
  #starting = 0;
  #broken: FunctionFailure | undefined;
  #retired = false;

  /** `onRetire` is called once, when this instance should get no more invocations; those in flight may still be ending. */
  constructor(lambda: LambdaFunction, endpoints: Endpoints, onRetire: () => void) {
    this.lambda = lambda;
    this.#onRetire = onRetire;
    const logStream = `2026/01/01/[$LATEST]${randomUUID().replaceAll("-", "")}`;
    this.#worker = new Worker(workerSource("worker.ts"), {
      name: lambda.name,
      env: environmentOf(lambda, endpoints, logStream),
      execArgv: preloads,
      stdout: true,
      stderr: true,
      workerData: {
        functionName: lambda.name,
        functionArn: lambda.arn,
        directory: lambda.directory ?? "",
        handler: lambda.handler,
        memoryMb: lambda.memoryMb,
        logGroup: lambda.logGroup,
        logStream,
        tableHost: new URL(endpoints.dynamodb).host,
        sessionArn: lambda.sessionArn,
        statements: lambda.statements,
      } satisfies WorkerStart,
    });
    printLines(this.#worker.stdout, lambda.name, "out");
    printLines(this.#worker.stderr, lambda.name, "error");
    this.exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#ready = new Promise((resolve) => {
      const patience = setTimeout(() => {
        this.#broken = { errorType: "Sandbox.Timedout", errorMessage: "The function's module did not load in time" };
        resolve();
      }, longestInitMs);
      this.exited.then(() => clearTimeout(patience));
      this.#worker.on("message", (message: FromWorker) => {
        if (message.type === "broken") this.#broken = message.failure;
        if (message.type === "ready" || message.type === "broken") {
          clearTimeout(patience);
          resolve();
        } else this.#receive(message);
      });
      this.#worker.on("error", (error: Error) => {
        this.#broken ??= { errorType: error.name ?? "Error", errorMessage: error.message ?? String(error) };
      });
      this.#worker.on("exit", (code) => {
        this.#broken ??= {
          errorType: "Runtime.ExitError",
          errorMessage: `RequestId: unknown Error: Runtime exited with error: exit status ${code}`,
        };
        resolve();
        this.#fail(this.#broken);
      });
    });
  }

  get busy(): boolean {
    return this.#pending.size + this.#starting > 0;
  }

  /**
   * Calls the function. Without `sink` the answer is its result as JSON text; with one, a streaming handler's response goes
   * there, and the promise is settled when the invocation is over.
   * @throws FunctionError
   */
  async invoke(event: string, requestId: string, sink?: Sink): Promise<string> {
    this.#starting++;
    try {
      await this.#ready;
    } finally {
      this.#starting--;
    }
    if (this.#broken) {
      this.#retire();
      void this.#worker.terminate();
      throw new FunctionError(this.#broken);
    }
    const id = ++invocations;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#timeOut(id, requestId), this.lambda.timeoutMs);
      this.#pending.set(id, { sink, resolve, reject, timer });
      const deadline = Date.now() + this.lambda.timeoutMs;
      this.#post({ type: "invoke", id, requestId, deadline, event });
    });
  }

  /** Ends the worker; invocations in flight fail. */
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
        this.#pass(message, pending.sink);
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

  #pass({ id, chunk, head, waits }: FromWorker & { type: "chunk" }, sink: Sink | undefined): void {
    const taken = sink?.write(chunk, head) !== false;
    if (!waits) return;
    const resume = () => this.#post({ type: "resume", id });
    if (taken || !sink) resume();
    else sink.onDrain(resume);
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    if (this.#retired && !this.busy) void this.#worker.terminate();
    return pending;
  }

  /** Lambda kills the environment of a function that takes too long. Others may be in flight in this one: they end first. */
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

/** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime */
function environmentOf(lambda: LambdaFunction, endpoints: Endpoints, logStream: string): Record<string, string> {
  return {
    ...lambda.environment,
    _HANDLER: lambda.handler,
    AWS_ACCESS_KEY_ID: lambda.name,
    AWS_DEFAULT_REGION: region,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
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
