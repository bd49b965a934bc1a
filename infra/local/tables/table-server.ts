import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import dependencies from "../../../package.json" with { type: "json" };
import { getToolSetting } from "../../../shared/lib/env.ts";
import { awsJson } from "../aws-json.ts";
import { Failure } from "../failure.ts";
import { createStreamIndex } from "./stream-index.ts";

/** Running server that is compatible with DynamoDB. */
export interface TableServer {
  endpoint: string;
  close: () => Promise<void>;
}

/**
 * Connects to the server at `DYNAMODB_ENDPOINT`, or starts dynoxide on a free port with its data in `file`.
 * @throws Failure when the server cannot be reached, dynoxide is not installed or it cannot use the file
 */
export async function startTableServer(file: string, system: System = process): Promise<TableServer> {
  const endpoint = getToolSetting("DYNAMODB_ENDPOINT");
  if (endpoint) {
    await checkReachable(endpoint);
    return { endpoint: endpoint.replace(/\/$/, ""), close: async () => {} };
  }
  return startDynoxide(findDynoxide(system), file);
}

async function checkReachable(endpoint: string): Promise<void> {
  try {
    await awsJson(endpoint, "DynamoDB_20120810.ListTables", {});
  } catch {
    throw new Failure(`No DynamoDB server responds at DYNAMODB_ENDPOINT=${endpoint}. Start it, or unset the variable.`);
  }
}

/** Maximum time until an installed server responds; the next constant is for one that npx downloads first. */
const START_TIMEOUT_MS = 15_000;
const DOWNLOAD_TIMEOUT_MS = 180_000;

/** Operating system and processor architecture, as `process` names them. */
interface System {
  readonly platform: string;
  readonly arch: string;
}

/** Command line that starts dynoxide, without the server's own arguments. */
interface TableServerCommand {
  readonly command: readonly string[];
  readonly startTimeoutMs: number;
}

/**
 * Finds dynoxide: `DYNOXIDE_BIN`, the packaged binary of the platform, or one on the PATH. Elsewhere, npx downloads the
 * published package in the version that Linux x64 has, whose registry has binaries for macOS, Windows and ARM.
 * @throws Failure when `DYNOXIDE_BIN` is not executable, or no npx is found either
 */
function findDynoxide({ platform, arch }: System): TableServerCommand {
  const configured = getToolSetting("DYNOXIDE_BIN");
  if (configured) {
    if (!isExecutable(configured)) {
      throw new Failure(`DYNOXIDE_BIN=${configured} is not executable. Correct or unset the variable.`);
    }
    return { command: [configured], startTimeoutMs: START_TIMEOUT_MS };
  }
  const onPath = (program: string) =>
    (getToolSetting("PATH") ?? "")
      .split(delimiter)
      .map((directory) => join(directory, program))
      .find(isExecutable);
  const binary = packagedBinaries(`@dynoxide/${platform}-${arch}`).find(isExecutable) ?? onPath("dynoxide");
  if (binary) return { command: [binary], startTimeoutMs: START_TIMEOUT_MS };
  const npx = onPath("npx");
  if (npx) {
    console.log(
      `No table server is packaged for ${platform} ${arch}: npx starts dynoxide ${DYNOXIDE_VERSION}, which it downloads once.`,
    );
    return { command: [npx, "--yes", `dynoxide@${DYNOXIDE_VERSION}`], startTimeoutMs: DOWNLOAD_TIMEOUT_MS };
  }
  throw new Failure(`No table server found for ${platform} ${arch}. ${TABLE_SERVER_HELP}`);
}

const DYNOXIDE_VERSION = dependencies.optionalDependencies["@dynoxide/linux-x64"];

const TABLE_SERVER_HELP =
  "Put `dynoxide` on the PATH, set DYNOXIDE_BIN to its path, or set DYNAMODB_ENDPOINT=http://127.0.0.1:8000 to use another DynamoDB server.";

function packagedBinaries(name: string): string[] {
  try {
    return [
      createRequire(import.meta.url)
        .resolve(`${name}/package.json`)
        .replace(/package\.json$/, "dynoxide"),
    ];
  } catch {
    return [];
  }
}

function isExecutable(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Shell script that runs the server and kills its process group (npx runs the server in it) when file descriptor 3 closes.
 * The runner holds the other end of this pipe, so the server stops even if the runner is killed.
 */
const supervisorScript = `"$@" 3<&- & server=$!
{ cat <&3; kill 0; } >/dev/null 2>&1 &
exec 3<&-
wait "$server"`;

async function startDynoxide({ command, startTimeoutMs }: TableServerCommand, file: string): Promise<TableServer> {
  const port = await freePort();
  const serve = [...command, "serve", "--host", "127.0.0.1", "--port", String(port), "--db-path", file];
  // Detached into its own session: Ctrl-C must reach only the runner, which still has requests to finish.
  const child = spawn("/bin/sh", ["-c", supervisorScript, "sh", ...serve], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    detached: true,
  });
  let errorOutput = "";
  child.stderr?.on("data", (data: Buffer) => {
    errorOutput = (errorOutput + data).slice(-2000);
  });
  const exited = new Promise<void>((resolve) => {
    // "close" fires after all output has been read, which requires the supervisor pipe to be closed.
    child.once("exit", () => closePipe(child));
    child.once("close", () => resolve()).once("error", () => resolve());
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const exit = new AbortController();
  void exited.then(() => exit.abort());
  try {
    await waitUntilReady(endpoint, exit.signal, startTimeoutMs);
    createStreamIndex(file);
  } catch (error) {
    closePipe(child);
    throw exit.signal.aborted ? new Failure(startFailureMessage(errorOutput, file)) : error;
  }
  return { endpoint, close: () => stop(child, exited) };
}

async function waitUntilReady(endpoint: string, exitSignal: AbortSignal, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    exitSignal.throwIfAborted();
    try {
      await awsJson(endpoint, "DynamoDB_20120810.ListTables", {});
      return;
    } catch {
      await sleep(5);
    }
  }
  throw new Failure(`The table server did not respond within ${timeoutMs / 1_000} s. ${TABLE_SERVER_HELP}`);
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  closePipe(child);
  await Promise.race([exited, sleep(2000, undefined, { ref: false })]);
}

/** Closes the pipe to the supervisor script, which stops the server. */
function closePipe(child: ChildProcess): void {
  const pipe = child.stdio[3];
  if (pipe && "end" in pipe) pipe.end();
}

function startFailureMessage(errorOutput: string, file: string): string {
  const reason = /error: (.*)/.exec(errorOutput)?.[1] ?? errorOutput.trim();
  if (/encrypted|malformed|corrupt|not a database/i.test(reason)) {
    return `The table file ${file} is damaged. Start with --fresh to reset the local state, or restore a copy of the file.`;
  }
  return `The table server did not start: ${reason || "no error output"}. ${TABLE_SERVER_HELP}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
