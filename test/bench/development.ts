/**
 * Measures the development loop in a copy of the sources: `npm start` without and with a cached assembly, the first request and page
 * after each, and the time from an edit to its response with `npm run dev`. `node test/bench/development.ts [rounds]`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const rounds = Number(process.argv[2] ?? 3);
const EDITS_PER_ROUND = 5;
const POLL_INTERVAL_MS = 10;

/** Time in which the file watches of a new instance are set up. */
const SETTLE_MS = 500;

const root = resolve(import.meta.dirname, "../..");
const directory = await mkdtemp(join(tmpdir(), "switchboard-development-"));
const copied = [
  "functions",
  "shared",
  "infra",
  "docs",
  "cdk.json",
  "openapi.json",
  "package.json",
  "package-lock.json",
];
for (const path of copied) await cp(join(root, path), join(directory, path), { recursive: true });
await symlink(join(root, "node_modules"), join(directory, "node_modules"));

const handlerPath = join(directory, "functions/api/platform/open.ts");
const handler = await readFile(handlerPath, "utf8");

interface Started {
  readonly baseUrl: string;
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** Starts an entry point as `npm start` and `npm run dev` do, and waits until it is ready. */
async function start(...args: string[]): Promise<Started> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { ...process.env, PORT: "0", DEMO_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const baseUrl = /^Ready on (\S+)/.exec(line)?.[1];
    if (!baseUrl) continue;
    child.stdout.resume();
    return { baseUrl, readyMs: performance.now() - startedAt, stop };
  }
  throw new Error(`${args.join(" ")} ended before it was ready`);
}

async function getVersion(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/health`);
  return ((await response.json()) as { version: string }).version;
}

const times = new Map<string, number[]>();
const record = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);

async function measureStart(kind: string): Promise<void> {
  const { baseUrl, readyMs, stop } = await start("infra/local/main.ts", "--with", "infra/demo/main.ts");
  record(`npm start, ${kind}: ready`, readyMs);
  const startedAt = performance.now();
  await getVersion(baseUrl);
  record(`npm start, ${kind}: first request`, performance.now() - startedAt);
  await (await fetch(`${baseUrl}/docs`)).text();
  record(`npm start, ${kind}: first page, after ready`, performance.now() - startedAt);
  await stop();
}

async function measureEdits(): Promise<void> {
  const { baseUrl, readyMs, stop } = await start("infra/dev/main.ts");
  record("npm run dev: ready", readyMs);
  await getVersion(baseUrl);
  await sleep(SETTLE_MS);
  for (let edit = 0; edit < EDITS_PER_ROUND; edit++) {
    const prefix = `edit ${edit} of ${Date.now()} `;
    const startedAt = performance.now();
    await writeFile(handlerPath, handler.replaceAll("version: env(", `version: ${JSON.stringify(prefix)} + env(`));
    while (!(await getVersion(baseUrl)).startsWith(prefix)) await sleep(POLL_INTERVAL_MS);
    record("npm run dev: from an edit to its response", performance.now() - startedAt);
  }
  await stop();
  await writeFile(handlerPath, handler);
}

for (let round = 0; round < rounds; round++) {
  for (const path of ["dist", "cdk.out", ".state"]) await rm(join(directory, path), { recursive: true, force: true });
  await measureStart("cold");
  await measureStart("warm");
  await measureEdits();
}
await rm(directory, { recursive: true, force: true });
console.log(`seconds in ${rounds} rounds             median  slowest`);
for (const [name, values] of times) {
  const sorted = values.toSorted((one, other) => one - other);
  const [median = 0, slowest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
  console.log(
    `  ${name.padEnd(42)} ${(median / 1_000).toFixed(2).padStart(6)}  ${(slowest / 1_000).toFixed(2).padStart(7)}`,
  );
}
process.exit(0);
