import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getToolSetting } from "../../../shared/lib/env.ts";
import { awsJson } from "../aws-json.ts";
import { Failure } from "../failure.ts";
import { createStreamIndex } from "./stream-index.ts";

/** A DynamoDB-compatible server. */
export interface TableServer {
  endpoint: string;
  close: () => Promise<void>;
}

/**
 * Connects to the server at `DYNAMODB_ENDPOINT`, or starts dynoxide on a free port with its data in `file`.
 * @throws Failure when the server cannot be reached, dynoxide is not installed or it cannot use the file
 */
export async function startTableServer(file: string): Promise<TableServer> {
  const endpoint = getToolSetting("DYNAMODB_ENDPOINT");
  if (endpoint) {
    await checkReachable(endpoint);
    return { endpoint: endpoint.replace(/\/$/, ""), close: async () => {} };
  }
  return startDynoxide(requireDynoxide(), file);
}

async function checkReachable(endpoint: string): Promise<void> {
  try {
    await awsJson(endpoint, "DynamoDB_20120810.ListTables", {});
  } catch {
    throw new Failure(`No DynamoDB server responds at DYNAMODB_ENDPOINT=${endpoint}. Start it, or unset the variable.`);
  }
}

function requireDynoxide(): string {
  const configured = getToolSetting("DYNOXIDE_BIN");
  if (configured) {
    if (!isExecutable(configured)) {
      throw new Failure(`DYNOXIDE_BIN=${configured} is not executable. Correct or unset the variable.`);
    }
    return configured;
  }
  const pathCandidates = (getToolSetting("PATH") ?? "")
    .split(delimiter)
    .map((directory) => join(directory, "dynoxide"));
  const binary = [...packagedBinaries(), ...pathCandidates].find(isExecutable);
  if (binary) return binary;
  throw new Failure(
    "No table server found. On Linux x64, `npm ci` installs dynoxide. On other platforms, put `dynoxide` on the PATH, set DYNOXIDE_BIN to its path, or set DYNAMODB_ENDPOINT=http://127.0.0.1:8000 to use another DynamoDB server.",
  );
}

function packagedBinaries(): string[] {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
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
 * Shell script that runs the server and kills it when file descriptor 3 closes. The runner holds the other end of that
 * pipe, so the server stops even when the runner is killed.
 */
const supervisorScript = `"$@" 3<&- & server=$!
{ cat <&3; kill "$server"; } >/dev/null 2>&1 &
exec 3<&-
wait "$server"`;

async function startDynoxide(binary: string, file: string): Promise<TableServer> {
  const port = await freePort();
  const command = [binary, "serve", "--host", "127.0.0.1", "--port", String(port), "--db-path", file];
  // Detached into its own session: Ctrl-C must reach only the runner, which still has requests to finish.
  const child = spawn("/bin/sh", ["-c", supervisorScript, "sh", ...command], {
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
    await waitUntilReady(endpoint, exit.signal);
    createStreamIndex(file);
  } catch (error) {
    closePipe(child);
    throw exit.signal.aborted ? new Failure(startFailureMessage(errorOutput, file)) : error;
  }
  return { endpoint, close: () => stop(child, exited) };
}

async function waitUntilReady(endpoint: string, exitSignal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline) {
    exitSignal.throwIfAborted();
    try {
      await awsJson(endpoint, "DynamoDB_20120810.ListTables", {});
      return;
    } catch {
      await sleep(5);
    }
  }
  throw new Failure("The table server did not respond within 15 s. Start again, or set another DYNOXIDE_BIN.");
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  closePipe(child);
  await Promise.race([exited, sleep(2000, undefined, { ref: false })]);
}

/** Closes the pipe to the supervisor script, which then stops the server. */
function closePipe(child: ChildProcess): void {
  const pipe = child.stdio[3];
  if (pipe && "end" in pipe) pipe.end();
}

function startFailureMessage(errorOutput: string, file: string): string {
  const reason = /error: (.*)/.exec(errorOutput)?.[1] ?? errorOutput.trim();
  if (/encrypted|malformed|corrupt|not a database/i.test(reason)) {
    return `The table file ${file} is damaged. Start with --fresh to reset the local state, or restore a copy of the file.`;
  }
  return `The table server did not start: ${reason || "no error output"}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
