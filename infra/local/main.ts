/**
 * `npm start`: serves the CDK app of this project on localhost until it is told to stop. `--fresh` forgets the state first,
 * `--beside <script>` runs a script beside the app.
 */
import type { ChildProcess } from "node:child_process";
import { toolSetting } from "../../shared/lib/env.ts";
import { ensureAssembly, releaseAssembly } from "./assembly/assembly-cache.ts";
import { Failure } from "./failure.ts";
import { type LocalApp, startLocalApp } from "./local-app.ts";
import { startCompanion } from "./sidecar.ts";

const graceMs = 3000;
const startedAt = performance.now();
const interrupted = new AbortController();
const stateDir = toolSetting("STATE_DIR") || ".state";
let app: LocalApp | undefined;
let companion: ChildProcess | undefined;
let assembly: string | undefined;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt());

try {
  assembly = await ensureAssembly(process.cwd(), interrupted.signal);
  app = await startLocalApp({
    assembly,
    stateDir,
    port: wholeNumber("PORT", 8787, 65_535),
    workers: wholeNumber("LOCAL_WORKERS", 48, 10_000),
    expiryMs: Math.max(1, wholeNumber("LOCAL_TTL_SECONDS", 300, 86_400)) * 1000,
    fresh: process.argv.includes("--fresh"),
  });
  if (interrupted.signal.aborted) await stop();
  else {
    announce(app);
    companion = companionOf(app);
  }
} catch (error) {
  if (assembly) releaseAssembly(assembly);
  if (!interrupted.signal.aborted) console.error(error instanceof Failure ? error.message : error);
  // Whatever a failed start left open must not keep the process alive.
  process.exit(interrupted.signal.aborted ? 130 : 1);
}

function announce({ outputs, url }: LocalApp): void {
  const width = Math.max(...outputs.map(({ logicalId }) => logicalId.length));
  for (const { logicalId, value } of outputs) console.log(`${logicalId.padEnd(width)}  ${value}`);
  console.log(`Ready on ${url} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  followParent();
}

/** The script that the command line wants to run beside the app, if any. */
function companionOf({ url }: LocalApp): ChildProcess | undefined {
  const at = process.argv.indexOf("--beside");
  const script = at === -1 ? undefined : process.argv[at + 1];
  return script === undefined ? undefined : startCompanion(script, { baseUrl: url, stateDir });
}

/** Ends with the process that started this one: nobody would be left to stop it. */
function followParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || interrupt(), 500).unref();
}

/** The first time in order, the second time at once. */
function interrupt(): void {
  if (interrupted.signal.aborted) process.exit(1);
  interrupted.abort();
  if (app) void stop();
}

async function stop(): Promise<void> {
  companion?.stdin?.end();
  await app?.close(graceMs);
  if (assembly) releaseAssembly(assembly);
  process.exit(0);
}

function wholeNumber(name: string, otherwise: number, highest: number): number {
  const value = toolSetting(name) || String(otherwise);
  if (!/^\d+$/.test(value) || Number(value) > highest)
    throw new Failure(`${name}=${value} is not a whole number from 0 to ${highest}. Correct it, or unset it.`);
  return Number(value);
}
