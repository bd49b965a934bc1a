/**
 * Serves the CDK app of this project on localhost until it is stopped.
 */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { getToolSetting } from "../../shared/lib/env.ts";
import { ensureAssembly, releaseAssembly } from "./assembly/assembly-cache.ts";
import { Failure } from "./failure.ts";
import type { LocalApp } from "./local-app.ts";
import { startSidecar } from "./sidecar.ts";
import { stopWithNpm } from "./stop-with-npm.ts";

const usage = `Usage: npm start [-- <options>]

Serves this project's app on localhost until it is stopped.

Options:
  --fresh          delete the local state first
  --watch          load a function again when its code changes
  --with <script>  run a script as a sidecar
  --help           print this text

Variables: PORT (8787), FILES_PORT (a free one), STATE_DIR (.state), LOCAL_WORKERS (16), LOCAL_CONCURRENCY, LOCAL_TTL_SECONDS (300),
LOCAL_HOSTS, LOCAL_LOG, LOCAL_GRANTS.
infra/configuration.md lists all variables.`;

const options = readOptions();
if (options.help) {
  console.log(usage);
  process.exit(0);
}

const graceMs = 3000;
const startedAt = performance.now();
// Read now, because a parent that dies during the start has another process take its place.
const parent = process.ppid;
const interruption = new AbortController();
const stateDir = getToolSetting("STATE_DIR") || ".state";
let app: LocalApp | undefined;
let sidecar: ChildProcess | undefined;
let assembly: string | undefined;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt());
stopWithNpm();

try {
  const { directory, ...progress } = await ensureAssembly(process.cwd(), interruption.signal);
  assembly = directory;
  // Loaded while another process synthesizes the app.
  const { startLocalApp } = await import("./local-app.ts");
  app = await startLocalApp({
    assembly,
    ...progress,
    stateDir,
    port: integerSetting("PORT", 8787, 65_535),
    filesPort: integerSetting("FILES_PORT", 0, 65_535),
    hosts: getToolSetting("LOCAL_HOSTS")?.split(",").filter(Boolean) ?? [],
    maxWorkers: integerSetting("LOCAL_WORKERS", 16, 10_000),
    maxConcurrency: integerSetting("LOCAL_CONCURRENCY", 10_000, 10_000),
    ttlSweepIntervalMs: Math.max(1, integerSetting("LOCAL_TTL_SECONDS", 300, 86_400)) * 1000,
    fresh: options.fresh,
    grantLog: getToolSetting("LOCAL_GRANTS"),
    codeCache: join(assembly, "code-cache"),
    watch: options.watch,
  });
  progress.finished.catch((error) => {
    if (!interruption.signal.aborted) void stop(error);
  });
  if (interruption.signal.aborted) await stop();
  else {
    announce(app);
    sidecar = startRequestedSidecar(app);
  }
} catch (error) {
  if (assembly) releaseAssembly(assembly);
  const exitCode = interruption.signal.aborted ? 130 : 1;
  if (exitCode === 1) report(error);
  interruption.abort(); // Ends a synthesis that is still running.
  // Handles that a failed start left open must not keep the process alive.
  process.exit(exitCode);
}

function report(error: unknown): void {
  console.error(error instanceof Failure ? error.message : error);
}

function announce({ outputs, url }: LocalApp): void {
  const width = Math.max(...outputs.map(({ logicalId }) => logicalId.length));
  for (const { logicalId, value } of outputs) console.log(`${logicalId.padEnd(width)}  ${value}`);
  console.log(`Ready on ${url} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  exitWithParent();
}

/** Starts the script that the option `--with` names, if any. */
function startRequestedSidecar({ url }: LocalApp): ChildProcess | undefined {
  return options.with === undefined ? undefined : startSidecar(options.with, { baseUrl: url, stateDir });
}

interface Options {
  readonly fresh: boolean;
  readonly help: boolean;
  readonly watch: boolean;
  readonly with: string | undefined;
}

/** Parses the command line. Exits with code 2 for an unknown option. */
function readOptions(): Options {
  const known = {
    fresh: { type: "boolean" },
    watch: { type: "boolean" },
    help: { type: "boolean", short: "h" },
    with: { type: "string" },
  } as const;
  const { values, tokens } = parseArgs({ options: known, strict: false, allowPositionals: true, tokens: true });
  const unknown = tokens.find(
    (token) => token.kind === "positional" || (token.kind === "option" && !(token.name in known)),
  );
  const { with: script, fresh, help, watch } = values;
  if (unknown) fail(`Unknown option ${unknown.kind === "option" ? unknown.rawName : process.argv[unknown.index + 2]}`);
  if (script === true) fail("Option --with requires a script");
  return {
    fresh: fresh === true,
    help: help === true,
    watch: watch === true,
    with: typeof script === "string" ? script : undefined,
  };
}

function fail(reason: string): never {
  console.error(`${reason}; npm start -- --help lists the options.`);
  process.exit(2);
}

/** Shuts down when the parent process exits, because the parent can then no longer stop this process. */
function exitWithParent(): void {
  setInterval(() => process.ppid === parent || interrupt(), 500).unref();
}

/** Shuts down gracefully on the first signal, and exits immediately on the second. */
function interrupt(): void {
  if (interruption.signal.aborted) process.exit(1);
  interruption.abort();
  if (app) void stop();
}

/** @param error reason to stop other than an interruption, which is printed */
async function stop(error?: unknown): Promise<void> {
  if (error !== undefined) report(error);
  sidecar?.stdin?.end();
  await app?.close(graceMs);
  if (assembly) releaseAssembly(assembly);
  process.exit(error === undefined ? 0 : 1);
}

function integerSetting(name: string, fallback: number, max: number): number {
  const value = getToolSetting(name) || String(fallback);
  if (!/^\d+$/.test(value) || Number(value) > max) {
    throw new Failure(`${name}=${value} is not an integer from 0 to ${max}. Correct or unset the variable.`);
  }
  return Number(value);
}
