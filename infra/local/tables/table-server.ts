import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { toolSetting } from "../../../shared/lib/env.ts";
import { awsJson } from "../aws-json.ts";
import { Failure } from "../failure.ts";
import { indexStreams } from "./stream-index.ts";

/** A DynamoDB-compatible server. */
export type TableServer = { endpoint: string; close: () => Promise<void> };

/**
 * The table server to use: the one at `DYNAMODB_ENDPOINT`, else a dynoxide of its own on a free port, with its data in `file`.
 * @throws Failure when there is no dynoxide, or it cannot use the file
 */
export async function tableServer(file: string): Promise<TableServer> {
  const endpoint = toolSetting("DYNAMODB_ENDPOINT");
  if (endpoint) {
    await reach(endpoint);
    return { endpoint: endpoint.replace(/\/$/, ""), close: async () => {} };
  }
  return start(findDynoxide(), file);
}

async function reach(endpoint: string): Promise<void> {
  try {
    await awsJson(endpoint, "DynamoDB_20120810.ListTables", {});
  } catch {
    throw new Failure(`No DynamoDB answers at DYNAMODB_ENDPOINT=${endpoint}. Start it, or unset the variable.`);
  }
}

function findDynoxide(): string {
  const given = toolSetting("DYNOXIDE_BIN");
  if (given) {
    if (!isExecutable(given)) throw new Failure(`DYNOXIDE_BIN=${given} cannot be executed. Correct it, or unset it.`);
    return given;
  }
  const onPath = (toolSetting("PATH") ?? "").split(delimiter).map((directory) => join(directory, "dynoxide"));
  const found = [...packaged(), ...onPath].find(isExecutable);
  if (found) return found;
  throw new Failure(
    "No table server found. On Linux x64 `npm ci` brings dynoxide; elsewhere put a `dynoxide` on the PATH, name one with DYNOXIDE_BIN, or name any other DynamoDB with DYNAMODB_ENDPOINT=http://127.0.0.1:8000.",
  );
}

function packaged(): string[] {
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
 * The shell between runner and server waits on a pipe that only the runner holds open: however the runner ends, the pipe closes
 * and the server is told to go.
 */
const leash = `"$@" 3<&- & server=$!
{ cat <&3; kill "$server"; } >/dev/null 2>&1 &
exec 3<&-
wait "$server"`;

async function start(binary: string, file: string): Promise<TableServer> {
  const port = await freePort();
  const command = [binary, "serve", "--host", "127.0.0.1", "--port", String(port), "--db-path", file];
  // A session of its own: Ctrl-C in the terminal is for the runner alone, which still has requests to finish.
  const child = spawn("/bin/sh", ["-c", leash, "sh", ...command], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    detached: true,
  });
  let complaint = "";
  child.stderr?.on("data", (data: Buffer) => {
    complaint = (complaint + data).slice(-2000);
  });
  const exited = new Promise<void>((resolve) => {
    // Closed means that the server said its last word, for which the leash has to be let go.
    child.once("exit", () => release(child));
    child.once("close", () => resolve()).once("error", () => resolve());
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const gone = new AbortController();
  void exited.then(() => gone.abort());
  try {
    await answering(endpoint, gone.signal);
    indexStreams(file);
  } catch (error) {
    release(child);
    throw gone.signal.aborted ? new Failure(explain(complaint, file)) : error;
  }
  return { endpoint, close: () => stop(child, exited) };
}

async function answering(endpoint: string, gone: AbortSignal): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline) {
    gone.throwIfAborted();
    try {
      await awsJson(endpoint, "DynamoDB_20120810.ListTables", {});
      return;
    } catch {
      await sleep(5);
    }
  }
  throw new Failure(
    "The table server does not answer. Is the machine very busy? Start again, or try another DYNOXIDE_BIN.",
  );
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  release(child);
  await Promise.race([exited, sleep(2000, undefined, { ref: false })]);
}

/** Closes the pipe that the server lives by. */
function release(child: ChildProcess): void {
  const pipe = child.stdio[3];
  if (pipe && "end" in pipe) pipe.end();
}

function explain(complaint: string, file: string): string {
  const reason = /error: (.*)/.exec(complaint)?.[1] ?? complaint.trim();
  if (/encrypted|malformed|corrupt|not a database/i.test(reason))
    return `The table file ${file} is damaged. Start with --fresh to forget the local state, or put back a copy of the file.`;
  return `The table server did not start: ${reason || "it gave no reason"}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
