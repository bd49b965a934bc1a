import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { getEnvironment } from "#shared/lib/env.ts";
import { findProcessesIn } from "#test/support/child-processes.ts";
import { isFullRun } from "#test/support/run-size.ts";

const root = resolve(import.meta.dirname, "../..");
const copiedPaths = ["functions", "shared", "infra", "docs", "cdk.json", "openapi.json", "package.json"];
const handlerPath = "functions/api/platform/open.ts";

let directory: string;
let handler: string;
let child: ChildProcess;
let output = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "switchboard-dev-"));
  for (const path of [...copiedPaths, "package-lock.json"]) {
    await cp(join(root, path), join(directory, path), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  handler = await readFile(join(directory, handlerPath), "utf8");
  // With npm, whose shell passes no signal on.
  child = spawn("npm", ["run", "dev"], {
    cwd: directory,
    env: { ...getEnvironment(), PORT: "0", DEMO_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => (output += data));
});

afterAll(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  }
  await rm(directory, { recursive: true, force: true });
});

/** Returns the URL that the app printed at its latest start; each start uses another port. */
const baseUrl = () => [...output.matchAll(/Ready on (\S+)/g)].at(-1)?.[1];

async function getVersion(): Promise<string> {
  const response = await fetch(`${baseUrl()}/health`);
  return ((await response.json()) as { version: string }).version;
}

/** Saves the handler with a version that starts with the value of `expression`. */
const saveVersion = (expression: string) =>
  writeFile(join(directory, handlerPath), handler.replaceAll("version: env(", `version: ${expression} + env(`));

/** Replaces a text in a file, which must contain it. */
async function edit(path: string, text: string, replacement: string): Promise<void> {
  const source = await readFile(join(directory, path), "utf8");
  expect(source).toContain(text);
  await writeFile(join(directory, path), source.replace(text, replacement));
}

/** Waits until the app printed that it started, without requests, which have a limit per minute. */
const waitForStart = (outputBefore: number) =>
  vi.waitUntil(() => output.slice(outputBefore).includes("Ready on"), polling);

/** Slow enough for the limit of requests per minute. */
const polling = { timeout: 180_000, interval: 500 };

it("npm run dev serves an edited function without restarting the app", async () => {
  await vi.waitUntil(baseUrl, polling);
  const version = await getVersion();
  await saveVersion('"edited "');
  await vi.waitFor(async () => expect(await getVersion()).toBe(`edited ${version}`), polling);
  expect(output.match(/Ready on/g)).toHaveLength(1);
});

it("npm run dev serves an edited function from a file in a new directory", async () => {
  const file = join(directory, "shared/lib/new/version.ts");
  await mkdir(dirname(file));
  await writeFile(file, 'export const version = "first";');
  const source = handler.replaceAll("version: env(", "version: version + env(");
  await writeFile(join(directory, handlerPath), `import { version } from "#shared/lib/new/version.ts";\n${source}`);
  await vi.waitFor(async () => expect(await getVersion()).toMatch(/^first/), polling);
  await writeFile(file, 'export const version = "second";');
  await vi.waitFor(async () => expect(await getVersion()).toMatch(/^second/), polling);
  expect(output.match(/Ready on/g)).toHaveLength(1);
});

it("npm run dev serves the last valid code while a source file does not compile", async () => {
  await saveVersion('"broken');
  await vi.waitUntil(() => output.includes("[ERROR]"), polling);
  await vi.waitFor(async () => expect(await getVersion()).toMatch(/^second/), polling);
  await saveVersion('"repaired "');
  await vi.waitFor(async () => expect(await getVersion()).toMatch(/^repaired /), polling);
});

it.runIf(isFullRun)(
  "npm run dev restarts the app when functions/uses.json gives a function another setting",
  async () => {
    const outputBefore = output.length;
    await saveVersion('env("MAX_CONCURRENT_RUNS").MAX_CONCURRENT_RUNS + " runs "');
    await vi.waitFor(async () => expect((await fetch(`${baseUrl()}/health`)).status).toBe(500), polling);
    await edit(
      "functions/uses.json",
      '"LOG_LEVEL", "MODELS", "MODEL_BASE_URL", "MODEL_PROVIDER"',
      '"LOG_LEVEL", "MAX_CONCURRENT_RUNS", "MODELS"',
    );
    await waitForStart(outputBefore);
    expect(output.slice(outputBefore)).toContain("The deployment changed; starting again.");
    expect(await getVersion()).toMatch(/^100 runs /);
  },
);

it.runIf(isFullRun)("npm run dev restarts the app when an API contract changes", async () => {
  const outputBefore = output.length;
  await edit("shared/api/platform/open.ts", '"GET /health"', '"GET /healthy"');
  await waitForStart(outputBefore);
  expect((await fetch(`${baseUrl()}/healthy`)).status).toBe(200);
});

// Last, because it ends the app.
it.runIf(process.platform === "linux")(
  "npm run dev leaves no process when it is terminated while it restarts",
  async () => {
    // The change is seen while the app stops: the restart must not outlive the termination.
    await writeFile(join(directory, "docs/new.md"), "New");
    child.kill("SIGTERM");
    await vi.waitUntil(() => child.exitCode !== null || child.signalCode !== null, { timeout: 180_000, interval: 50 });
    await vi.waitFor(() => expect(findProcessesIn(directory)).toEqual([]), polling);
  },
);
