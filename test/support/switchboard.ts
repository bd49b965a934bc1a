import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Local instance of Switchboard, as started by `npm start`. */
export interface Switchboard {
  readonly baseUrl: string;
  readonly stateDir: string;
  readonly process: ChildProcess;
  /** Lines written to stdout and stderr so far. */
  readonly output: readonly string[];
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface SwitchboardOptions {
  /** Settings in addition to the local defaults. */
  readonly env?: Readonly<Record<string, string>>;
  /** State directory to reuse; by default a temporary one that is deleted on stop. */
  readonly stateDir?: string;
  /** Directory of the code; by default this repository. */
  readonly directory?: string;
  /** Command-line options for Node. */
  readonly nodeOptions?: readonly string[];
  /** Additional arguments for `main.ts`. */
  readonly arguments?: readonly string[];
}

const START_TIMEOUT_MS = 150_000;

/**
 * Maximum number of function workers of an instance. Suites call all routes again and again, and a worker takes 50 ms of a
 * processor to start and 30 MB: the shared instance may have one for each function if that is less than half of the memory.
 */
const MAX_WORKERS = Math.max(64, Math.min(600, Math.floor(totalmem() / 2 / 30_000_000)));

/** Options that start the demo model for an instance without settings of a model, as `npm start` does. */
const preload = ["--import", "./infra/demo/model/main.ts"];

/** Starts an instance on a free port and waits until it is ready. */
export async function startSwitchboard(options: SwitchboardOptions = {}): Promise<Switchboard> {
  const { env = {}, stateDir } = options;
  const directory = stateDir ?? (await mkdtemp(join(tmpdir(), "switchboard-")));
  const child = spawn(
    "node",
    [...preload, ...(options.nodeOptions ?? []), "infra/local/main.ts", ...(options.arguments ?? [])],
    {
      env: {
        ...process.env,
        RATE_LIMIT_TENANT: "1000000",
        RATE_LIMIT_API_KEY: "1000000",
        RATE_LIMIT_OPEN: "1000000",
        RATE_LIMIT_SCIM: "1000000",
        RATE_LIMIT_FAILED: "1000000",
        LOCAL_WORKERS: String(MAX_WORKERS),
        // Indexing the words of all messages of all suites delays the documents that suites wait for.
        MESSAGE_SEARCH: "off",
        ...env,
        PORT: "0",
        STATE_DIR: directory,
      },
      ...(options.directory && { cwd: options.directory }),
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const output: string[] = [];
  const baseUrl = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Start timed out:\n${output.join("\n")}`)), START_TIMEOUT_MS);
    const onLine = (line: string) => {
      output.push(line);
      const url = /^Ready on (\S+)/.exec(line)?.[1];
      if (url) {
        clearTimeout(timer);
        resolve(url);
      }
    };
    createInterface({ input: child.stdout }).on("line", onLine);
    createInterface({ input: child.stderr }).on("line", onLine);
    child.once("exit", (code) => reject(new Error(`Exited with ${code}:\n${output.join("\n")}`)));
  }).catch((error) => {
    child.kill("SIGKILL");
    throw error;
  });
  return {
    baseUrl,
    stateDir: directory,
    process: child,
    output,
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        child.kill(signal);
        await exited;
      }
      if (!stateDir) await rm(directory, { recursive: true, force: true });
    },
  };
}
