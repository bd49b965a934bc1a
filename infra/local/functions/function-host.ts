import { randomUUID } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { Failure } from "../failure.ts";
import { trace, warn } from "../log.ts";
import { type Endpoints, FunctionError, FunctionInstance, type Sink, ThrottledError } from "./function-instance.ts";
import { type LambdaFunction, unqualified } from "./lambda-function.ts";

/** Lambda's payload limit for requests and buffered responses. */
export const maxPayloadBytes = 6 * 1024 * 1024;

interface HostOptions {
  endpoints: Endpoints;
  /** Maximum number of worker threads at a time. */
  maxWorkers: number;
  /** Maximum number of concurrent invocations of all functions, like the concurrency quota of an account. */
  maxConcurrency?: number | undefined;
  /** File of the grant log, which records the permissions that functions have and use. */
  grantLog?: string | undefined;
  /** Directory for the compiled code of functions. */
  codeCache?: string | undefined;
}

/**
 * Runs the functions of the app, each in a worker thread that starts with the first invocation. Stops the least recently used
 * workers when there are more than `maxWorkers`.
 */
export class FunctionHost {
  readonly #functions: Map<string, LambdaFunction>;
  readonly #options: HostOptions;
  readonly #instances = new Map<string, FunctionInstance>();
  readonly #retired = new Set<FunctionInstance>();
  readonly #watchers: FSWatcher[] = [];
  #closing = false;
  readonly #inFlight = new Set<Promise<unknown>>();

  /** @param functions functions by ARN */
  constructor(functions: Map<string, LambdaFunction>, options: HostOptions) {
    this.#functions = functions;
    this.#options = options;
  }

  /** Finds a function by ARN (ignoring its version or alias) or by name. */
  find(nameOrArn: string): LambdaFunction | undefined {
    return (
      this.#functions.get(unqualified(nameOrArn)) ??
      [...this.#functions.values()].find((lambda) => lambda.name === nameOrArn)
    );
  }

  /**
   * Invokes a function and returns its result as JSON text. With `sink`, the response of a streaming handler goes there, and
   * the promise settles when the invocation ends; the result of a plain handler is returned as usual.
   * @throws FunctionError when the function fails, crashes or times out
   * @throws ThrottledError when the limit of concurrent invocations is reached
   */
  async invoke(lambda: LambdaFunction, event: unknown, sink?: Sink, requestId: string = randomUUID()): Promise<string> {
    if (this.#inFlight.size >= (this.#options.maxConcurrency ?? Number.POSITIVE_INFINITY)) throw new ThrottledError();
    const startedAt = performance.now();
    const invocation = this.#requireInstance(lambda).invoke(JSON.stringify(event), requestId, sink);
    this.#inFlight.add(invocation);
    try {
      const payload = await invocation;
      if (payload.length > maxPayloadBytes) throw responseTooLarge();
      trace(lambda.name, () => `${requestId} took ${(performance.now() - startedAt).toFixed(1)} ms`);
      return payload;
    } catch (error) {
      if (error instanceof FunctionError && !this.#closing) logFailure(lambda, requestId, error);
      throw error;
    } finally {
      this.#inFlight.delete(invocation);
      this.#stopSurplus();
    }
  }

  /**
   * Watches the code of all functions. Invocations after a change run the new code; those in flight finish with the old one.
   */
  watchCode(): void {
    for (const { arn, directory } of this.#functions.values()) {
      if (directory) this.#watchers.push(watch(directory, () => this.#instances.get(arn)?.retire()));
    }
  }

  /** Waits up to `graceMs` for invocations in flight, then stops all workers. */
  async close(graceMs: number): Promise<void> {
    for (const watcher of this.#watchers) watcher.close();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.allSettled(this.#inFlight), timeout]);
    clearTimeout(timer);
    // Functions that fail from now on fail because of the shutdown, so their errors are not logged.
    this.#closing = true;
    await Promise.all([...this.#instances.values(), ...this.#retired].map((instance) => instance.stop()));
  }

  #requireInstance(lambda: LambdaFunction): FunctionInstance {
    let instance = this.#instances.get(lambda.arn);
    if (!instance) {
      if (lambda.directory === undefined)
        throw new Failure(`${lambda.name} has no code asset, so it cannot run locally.`);
      if (!lambda.runtime.startsWith("nodejs"))
        throw new Failure(`${lambda.name} uses the runtime ${lambda.runtime}; only Node.js runs locally.`);
      const created = new FunctionInstance(lambda, this.#options, () => {
        this.#instances.delete(lambda.arn);
        this.#retired.add(created);
        void created.exited.then(() => this.#retired.delete(created));
      });
      this.#instances.set(lambda.arn, created);
      instance = created;
    }
    instance.lastUsedAt = performance.now();
    return instance;
  }

  #stopSurplus(): void {
    const surplus = this.#instances.size - this.#options.maxWorkers;
    if (surplus <= 0) return;
    const idle = [...this.#instances.values()].filter(({ busy }) => !busy).sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    for (const instance of idle.slice(0, surplus)) void instance.stop();
  }
}

function logFailure(lambda: LambdaFunction, requestId: string, { failure }: FunctionError): void {
  const { errorType, errorMessage, trace: stack = [] } = failure;
  const frames = stack.slice(1).filter((line) => !/lambda-runtime\/|node:internal|new Promise/.test(line));
  warn(lambda.name, [`${errorType}: ${errorMessage} (request ${requestId})`, ...frames].join("\n"));
}

function responseTooLarge(): FunctionError {
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${maxPayloadBytes} bytes).`;
  return new FunctionError({ errorType: "Function.ResponseSizeTooLarge", errorMessage });
}
