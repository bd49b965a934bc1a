import { randomUUID } from "node:crypto";
import { Failure } from "../failure.ts";
import { trace, warn } from "../log.ts";
import { type Endpoints, FunctionError, FunctionInstance, type Sink } from "./function-instance.ts";
import { type LambdaFunction, unqualified } from "./lambda-function.ts";

/** Lambda's limit for a request or a buffered response. */
export const payloadLimit = 6 * 1024 * 1024;

/** What the host needs besides the functions. */
export type HostOptions = {
  endpoints: Endpoints;
  /** How many workers may be alive at a time. */
  workers: number;
};

/** Runs the app's functions: one worker each, started on first call, the least recently used stopped beyond a cap. */
export class FunctionHost {
  readonly #functions: Map<string, LambdaFunction>;
  readonly #options: HostOptions;
  readonly #instances = new Map<string, FunctionInstance>();
  readonly #retired = new Set<FunctionInstance>();
  #closing = false;
  readonly #inFlight = new Set<Promise<unknown>>();

  /** @param functions by ARN */
  constructor(functions: Map<string, LambdaFunction>, options: HostOptions) {
    this.#functions = functions;
    this.#options = options;
  }

  /** The function with this ARN, whose version or alias is ignored, or with this name. */
  find(nameOrArn: string): LambdaFunction | undefined {
    return (
      this.#functions.get(unqualified(nameOrArn)) ??
      [...this.#functions.values()].find((lambda) => lambda.name === nameOrArn)
    );
  }

  /**
   * Calls a function and gives its result as JSON text. With `sink`, a streaming handler's response goes there and the promise
   * is settled when the invocation is over; a plain handler's result is returned as ever.
   * @throws FunctionError when the function fails, crashes or times out
   */
  async invoke(lambda: LambdaFunction, event: unknown, sink?: Sink, requestId: string = randomUUID()): Promise<string> {
    const startedAt = performance.now();
    const running = this.#instance(lambda).invoke(JSON.stringify(event), requestId, sink);
    this.#inFlight.add(running);
    try {
      const payload = await running;
      if (payload.length > payloadLimit) throw tooLarge();
      trace(lambda.name, () => `${requestId} took ${(performance.now() - startedAt).toFixed(1)} ms`);
      return payload;
    } catch (error) {
      if (error instanceof FunctionError && !this.#closing) report(lambda, requestId, error);
      throw error;
    } finally {
      this.#inFlight.delete(running);
      this.#stopSurplus();
    }
  }

  /** Lets invocations in flight end for up to `graceMs`, then stops every worker. */
  async close(graceMs: number): Promise<void> {
    const grace = new AbortController();
    const patience = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      grace.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    await Promise.race([Promise.allSettled(this.#inFlight), patience]);
    grace.abort();
    // What ends from here on was cut off, which is nobody's fault.
    this.#closing = true;
    await Promise.all([...this.#instances.values(), ...this.#retired].map((instance) => instance.stop()));
  }

  #instance(lambda: LambdaFunction): FunctionInstance {
    let instance = this.#instances.get(lambda.arn);
    if (!instance) {
      if (lambda.directory === undefined) throw new Failure(`${lambda.name} has no code asset, so it cannot run here.`);
      if (!lambda.runtime.startsWith("nodejs")) throw new Failure(`${lambda.name} needs ${lambda.runtime}, not Node.`);
      const created = new FunctionInstance(lambda, this.#options.endpoints, () => {
        this.#instances.delete(lambda.arn);
        this.#retired.add(created);
        void created.exited.then(() => this.#retired.delete(created));
      });
      this.#instances.set(lambda.arn, created);
      instance = created;
    }
    instance.usedAt = performance.now();
    return instance;
  }

  #stopSurplus(): void {
    const surplus = this.#instances.size - this.#options.workers;
    if (surplus <= 0) return;
    const idle = [...this.#instances.values()].filter(({ busy }) => !busy).sort((a, b) => a.usedAt - b.usedAt);
    for (const instance of idle.slice(0, surplus)) void instance.stop();
  }
}

function report(lambda: LambdaFunction, requestId: string, { failure }: FunctionError): void {
  const { errorType, errorMessage, trace: stack = [] } = failure;
  const where = stack.slice(1).filter((line) => !/lambda-runtime\/|node:internal|new Promise/.test(line));
  warn(lambda.name, [`${errorType}: ${errorMessage} (request ${requestId})`, ...where].join("\n"));
}

function tooLarge(): FunctionError {
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${payloadLimit} bytes).`;
  return new FunctionError({ errorType: "Function.ResponseSizeTooLarge", errorMessage });
}
