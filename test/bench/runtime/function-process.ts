import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { type InvocationResult, startRuntimeApi } from "./runtime-api.ts";
import type { Sandbox } from "./sandbox.ts";

/** A function to run. */
export interface FunctionCode {
  readonly name: string;
  /** Directory with `index.cjs`. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Process of a function under the runtime interface client. */
export interface FunctionProcess {
  /** Time from the start of the process to its first request for an event. */
  readonly initMs: number;
  /** Processor time of all threads until then, which other programs on the machine do not extend. */
  readonly initCpuMs: number;
  /** @throws Error if the process exits */
  invoke(event: unknown): Promise<InvocationResult>;
  /** Returns the processor time of all threads since the start. */
  getCpuMs(): number;
  /** Returns the largest memory that the process had, in MB. */
  getPeakMb(): number;
  stop(): Promise<void>;
}

/** Returns the processor time of a process in milliseconds, without that of threads that have ended. */
function getCpuMs(pid: number | undefined): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sumMs, id) => {
    try {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ");
      return sumMs + Number(nanoseconds) / 1e6;
    } catch {
      // The thread has just ended.
      return sumMs;
    }
  }, 0);
}

/** Memory of a function whose process has no other limit. */
const DEFAULT_MEMORY_MB = 256;

/** Returns the options with which the managed runtime starts Node. */
function nodeOptions(memoryMb: number): string[] {
  const newSpaceMb = Math.floor(memoryMb / 10);
  return [
    "--expose-gc",
    `--max-semi-space-size=${Math.floor(newSpaceMb / 2)}`,
    `--max-old-space-size=${memoryMb - newSpaceMb}`,
  ];
}

/**
 * Starts a fresh process that runs a function under AWS's runtime interface client.
 * @param client program of the client
 * @throws Error if the function cannot be loaded
 */
export async function startFunction(
  client: string,
  code: FunctionCode,
  { sandbox, memoryMb = DEFAULT_MEMORY_MB }: { sandbox?: Sandbox; memoryMb?: number } = {},
): Promise<FunctionProcess> {
  const api = await startRuntimeApi(`arn:aws:lambda:us-east-1:000000000000:function:${code.name}`);
  const startedAt = performance.now();
  const join = (sandbox?.memberFiles ?? []).map((file) => `echo $$ > ${file}`);
  const script = [...join, 'exec "$0" "$@"'].join(" && ");
  const command = [process.execPath, ...nodeOptions(memoryMb), client, "index.handler"];
  const child: ChildProcess = spawn("sh", ["-c", script, ...command], {
    cwd: code.directory,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...code.environment,
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_FUNCTION_NAME: code.name,
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${code.name}`,
      AWS_LAMBDA_LOG_STREAM_NAME: "1",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_LOG_FORMAT: "JSON",
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      LAMBDA_TASK_ROOT: code.directory,
      _HANDLER: "index.handler",
    },
  });
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const exited = once(child, "exit").then(() => {
    throw new Error(`${code.name} exited: ${errors.slice(-2_000)}`);
  });
  exited.catch(() => {});
  const initializedAt = await Promise.race([api.initialized, exited]);
  const initCpuMs = getCpuMs(child.pid);
  sandbox?.throttle();
  return {
    initCpuMs,
    initMs: initializedAt - startedAt,
    invoke: (event) => Promise.race([api.invoke(event), exited]),
    getCpuMs: () => getCpuMs(child.pid),
    getPeakMb: () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1_024,
    async stop() {
      child.kill("SIGKILL");
      await exited.catch(() => {});
      api.close();
    },
  };
}
