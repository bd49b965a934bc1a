import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Installs the compared npm packages once outside the repository and returns their directory. */
export function installPackages(): string {
  const manifest = readFileSync(join(import.meta.dirname, "peers/package.json"), "utf8");
  const version = createHash("sha256").update(manifest).digest("hex").slice(0, 12);
  const directory = join(tmpdir(), `switchboard-bench-${version}`);
  if (existsSync(join(directory, "node_modules/autocannon"))) return directory;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), manifest);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", ...options], { cwd: directory, stdio: ["ignore", "ignore", "inherit"] });
  return directory;
}

function replaceRequired(text: string, pattern: RegExp, replacement: string): string {
  if (!pattern.test(text)) throw new Error(`Gateway code does not match ${pattern}`);
  return text.replace(pattern, replacement);
}

/** Builds the gateway bound to loopback, optionally without its 25 ms sleep before the first chunk. */
function buildProgram(packages: string, { keepSleep }: { keepSleep: boolean }): string {
  const source = join(packages, "node_modules/@portkey-ai/gateway/build");
  const build = join(
    packages,
    "node_modules/@portkey-ai/gateway",
    keepSleep ? "build-loopback" : "build-without-sleep",
  );
  cpSync(source, build, { recursive: true });
  const file = join(build, "start-server.js");
  const loopbackSource = replaceRequired(
    readFileSync(file, "utf8"),
    /(\(\{fetch:\w+\.fetch,port:\w+)\}\)/,
    '$1,hostname:"127.0.0.1"})',
  );
  const sleepPattern = /await new Promise\(\(?\w+=>setTimeout\(\w+,25\)\)?\)/;
  writeFileSync(file, keepSleep ? loopbackSource : replaceRequired(loopbackSource, sleepPattern, "0"));
  return file;
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const START_TIMEOUT_MS = 120_000;

/** Waits until a server responds. @throws Error if its process exits or takes too long; it is stopped */
export async function waitUntilReachable(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && server.exitCode === null) {
    const isReachable = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReachable) return;
    await sleep(100);
  }
  server.kill();
  throw new Error(`${url} did not respond`);
}

/** Starts the gateway and returns its URL and process. */
export async function startGateway(
  packages: string,
  options: { keepSleep: boolean },
): Promise<{ baseUrl: string; process: ChildProcess }> {
  const port = await findFreePort();
  const child = spawn("node", [buildProgram(packages, options), `--port=${port}`, "--headless"], {
    stdio: "ignore",
    env: { ...process.env, NODE_ENV: "production" },
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  await waitUntilReachable(baseUrl, child);
  return { baseUrl, process: child };
}
