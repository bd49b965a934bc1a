import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A whole Switchboard on localhost, as `npm start` gives it. */
export interface Switchboard {
  readonly baseUrl: string;
  readonly stateDir: string;
  readonly process: ChildProcess;
  /** Lines it wrote so far. */
  readonly output: readonly string[];
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** How to start it. */
export interface SwitchboardOptions {
  /** Settings beyond the local defaults. */
  readonly env?: Readonly<Record<string, string>>;
  /** A state directory to go on with; by default a fresh one that goes away with the instance. */
  readonly stateDir?: string;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Further arguments of the command. */
  readonly arguments?: readonly string[];
}

const startTimeout = 150_000;

/** Starts an instance on a free port and waits until it is ready. */
export async function startSwitchboard(options: SwitchboardOptions = {}): Promise<Switchboard> {
  const { env = {}, stateDir } = options;
  const directory = stateDir ?? (await mkdtemp(join(tmpdir(), "switchboard-")));
  const child = spawn("node", [...(options.nodeOptions ?? []), "infra/local/main.ts", ...(options.arguments ?? [])], {
    env: {
      ...process.env,
      RATE_LIMIT_TENANT: "1000000",
      RATE_LIMIT_OPEN: "1000000",
      ...env,
      PORT: "0",
      STATE_DIR: directory,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  const baseUrl = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not ready in time:\n${output.join("\n")}`)), startTimeout);
    const read = (line: string) => {
      output.push(line);
      const url = /^Ready on (\S+)/.exec(line)?.[1];
      if (url) {
        clearTimeout(timer);
        resolve(url);
      }
    };
    createInterface({ input: child.stdout }).on("line", read);
    createInterface({ input: child.stderr }).on("line", read);
    child.once("exit", (code) => reject(new Error(`Ended with ${code}:\n${output.join("\n")}`)));
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
