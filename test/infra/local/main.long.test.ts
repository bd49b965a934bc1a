import { execFile, spawn } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, expect, test } from "vitest";
import { getEnvironment } from "#shared/lib/env.ts";
import { lambdaResources, readLines, temporaryDirectory, waitUntil, writeAssembly } from "./fixture.ts";
import { RestFixture } from "./rest-fixture.ts";

const directory = temporaryDirectory();
const runs: Run[] = [];
let projects = 0;

afterEach(async () => {
  for (const run of runs.splice(0)) run.kill("SIGKILL");
});
afterAll(directory.remove);

/** Creates a project whose app copies a prepared assembly and logs each run. */
function createProject(app = "node app.cjs", context: Record<string, string> = {}): string {
  const path = join(directory.path, `project-${++projects}`);
  const rest = new RestFixture().method("GET", "/sleep", "Sleep").method("GET", "/echo", "Echo");
  const assembly = writeAssembly(join(path, "prepared"), {
    app: {
      Resources: {
        ...rest.resources,
        ...lambdaResources("Sleep", "rest.sleep"),
        ...lambdaResources("Echo", "rest.echo", { environment: { TEST_LIMIT: "default" } }),
      },
      Outputs: { TryIt: { Value: "curl something" } },
    },
  });
  mkdirSync(join(path, "infra"));
  writeFileSync(
    join(path, "cdk.json"),
    JSON.stringify({ app, context: { "local:environment": ["TEST_*"], given: 1, ...context } }),
  );
  writeFileSync(
    join(path, "app.cjs"),
    `const fs = require("node:fs");
     fs.cpSync(${JSON.stringify(assembly)}, process.env.CDK_OUTDIR, { recursive: true });
     fs.appendFileSync(${JSON.stringify(join(path, "ran"))}, process.env.CDK_CONTEXT_JSON + "\\n");`,
  );
  return path;
}

const main = join(import.meta.dirname, "../../../infra/local/main.ts");

class Run {
  output = "";
  readonly exit: Promise<number | null>;
  readonly kill: (signal: NodeJS.Signals) => void;

  constructor(path: string, environment: Record<string, string> = {}, args = [main]) {
    const child = spawn(process.execPath, args, {
      cwd: path,
      env: { ...getEnvironment(), PORT: "0", STATE_DIR: "state", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data: Buffer) => {
        this.output += data;
      });
    this.exit = new Promise((resolve) => child.once("close", resolve));
    this.kill = (signal) => void child.kill(signal);
    runs.push(this);
  }

  /** Waits until the runner is ready and returns its URL. */
  async ready(): Promise<string> {
    await waitUntil(() => this.output.includes("Ready on"), 10_000);
    return /Ready on (\S+) \(\d+\.\d s\)\n$/.exec(this.output)?.[1] ?? "";
  }
}

/** Lists table server processes of the project. */
async function listProcesses(path: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "args"]);
  return stdout.split("\n").filter((line) => line.includes(path) && line.includes("dynoxide"));
}

test("local runner (npm start) prints its URL, finishes requests on SIGTERM and does not synthesize the app again on the next start", async () => {
  const path = createProject();
  const first = new Run(path);
  const url = await first.ready();
  expect(first.output).toMatch(/^TryIt {2}curl something\nReady on http:\/\/127\.0\.0\.1:\d+ \(\d+\.\d s\)\n$/);
  const answer = fetch(`${url}/sleep?ms=2000`);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  first.kill("SIGTERM");
  expect((await answer).status).toBe(200);
  expect(await first.exit).toBe(0);
  expect(await listProcesses(path)).toEqual([]);
  expect(globSync("cdk.out/local/*/code-cache/*/*", { cwd: path })).not.toEqual([]);

  const second = new Run(path);
  await second.ready();
  expect(readLines(join(path, "ran"))).toHaveLength(1);
  expect(JSON.parse(readLines(join(path, "ran"))[0] ?? "")).toMatchObject({
    stage: "local",
    given: 1,
    "aws:cdk:disable-asset-staging": true,
  });
  second.kill("SIGTERM");
  await second.exit;
});

test("local runner (npm start) serves functions while the app still writes files, and stops with its error if it fails", async () => {
  const path = createProject("node app.cjs && node more.cjs");
  const go = join(path, "go");
  writeFileSync(
    join(path, "more.cjs"),
    `const fs = require("node:fs");
     process.send("usable");
     const timer = setInterval(() => {
       if (!fs.existsSync(${JSON.stringify(go)})) return;
       clearInterval(timer);
       console.error("A page is broken.");
       process.exitCode = Number(fs.readFileSync(${JSON.stringify(go)}, "utf8"));
     }, 10);`,
  );
  const failing = new Run(path);
  expect((await fetch(`${await failing.ready()}/echo`)).status).toBe(200);
  writeFileSync(go, "1");
  expect(await failing.exit).toBe(1);
  expect(failing.output).toMatch(/A page is broken\.\n.*exited with code 1\./s);
  expect(await listProcesses(path)).toEqual([]);

  writeFileSync(go, "0");
  const run = new Run(path, { TEST_X: "2" });
  expect((await fetch(`${await run.ready()}/echo`)).status).toBe(200);
  run.kill("SIGTERM");
  expect(await run.exit).toBe(0);
});

test("local runner (npm start) synthesizes the app again when a source or setting changes, also in two runs at once", async () => {
  const path = createProject();
  const settings: Record<string, string>[] = [{}, {}, { TEST_X: "1" }, { OTHER: "1" }];
  const all = settings.map((setting, index) => new Run(path, { ...setting, STATE_DIR: `state-${index}` }));
  await Promise.all(all.map((run) => run.ready()));
  const synthCount = readLines(join(path, "ran")).length;
  expect(synthCount).toBeGreaterThanOrEqual(2);
  const repeatedRun = new Run(path, { TEST_X: "1", STATE_DIR: "state-more" });
  await repeatedRun.ready();
  expect(readLines(join(path, "ran"))).toHaveLength(synthCount);
  writeFileSync(join(path, "infra", "new.ts"), "");
  const runAfterChange = new Run(path, { STATE_DIR: "state-changed" });
  await runAfterChange.ready();
  expect(readLines(join(path, "ran"))).toHaveLength(synthCount + 1);
});

test("local runner (npm start) synthesizes the app again when the directory of an asset is empty, as after an interrupted start", async () => {
  const path = createProject();
  const page = join(path, "files/page.html");
  mkdirSync(join(path, "files"));
  writeFileSync(page, "");
  const assets = join(path, "prepared/all.assets.json");
  const { version, files } = JSON.parse(readFileSync(assets, "utf8"));
  const site = { source: { path: join(path, "files") }, destinations: { all: { objectKey: "site.zip" } } };
  writeFileSync(assets, JSON.stringify({ version, files: { ...files, site } }));
  const countAfterRun = async () => {
    const run = new Run(path);
    await run.ready();
    run.kill("SIGTERM");
    await run.exit;
    return readLines(join(path, "ran")).length;
  };
  expect([await countAfterRun(), await countAfterRun()]).toEqual([1, 1]);
  rmSync(page);
  expect(await countAfterRun()).toBe(2);
});

test("local runner (npm start) gives functions the values of settings that the module of local:settings keeps from the synthesis", async () => {
  const path = createProject("node app.cjs", { "local:settings": "settings.mjs" });
  writeFileSync(
    join(path, "settings.mjs"),
    `export const divideSettings = () => ({
        synthesis: { TEST_LIMIT: undefined },
        environmentOf: (names) => Object.fromEntries(names.map((name) => [name, process.env[name]])),
      });`,
  );
  for (const limit of ["1", "2"]) {
    const run = new Run(path, { TEST_LIMIT: limit });
    const answer = await fetch(`${await run.ready()}/echo`);
    expect(await answer.json()).toMatchObject({ environment: { TEST_LIMIT: limit } });
    run.kill("SIGTERM");
    await run.exit;
  }
  expect(readLines(join(path, "ran"))).toHaveLength(1);
});

test("local runner (npm start) leaves no child processes when it is killed, and can then be restarted", async () => {
  const path = createProject();
  const first = new Run(path);
  await first.ready();
  expect(await listProcesses(path)).not.toEqual([]);
  first.kill("SIGKILL");
  await first.exit;
  const second = new Run(path);
  await second.ready();
  second.kill("SIGINT");
  expect(await second.exit).toBe(0);
  expect(await listProcesses(path)).toEqual([]);
});

test("local runner (npm start) starts the script of --with, passes its URL to it and ends it on exit", async () => {
  const path = createProject();
  const script = `console.log("sidecar", process.env.BASE_URL, process.env.STATE_DIR);
      process.stdin.resume().on("end", () => console.log("the end"));`;
  writeFileSync(join(path, "sidecar.cjs"), script);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const run = new Run(path, {}, [main, "--with", "sidecar.cjs"]);
    await waitUntil(() => /\nsidecar http:\/\/127\.0\.0\.1:\d+ state\n/.test(run.output), 10_000);
    run.kill(signal);
    await run.exit;
    expect(run.output).toContain("\nthe end\n");
  }
});

test("local runner (npm start) exits when its parent process dies", async () => {
  const path = createProject();
  const code = `require("node:child_process").spawn(process.execPath, [${JSON.stringify(main)}], { stdio: "inherit" })`;
  const parent = new Run(path, {}, ["-e", code]);
  await parent.ready();
  parent.kill("SIGKILL");
  // The output closes when the last process that writes to it exits.
  expect(await parent.exit).toBeNull();
  expect(await listProcesses(path)).toEqual([]);
});

async function getFailure(path: string, environment: Record<string, string> = {}): Promise<string> {
  const run = new Run(path, environment);
  expect(await run.exit).toBe(1);
  expect(run.output.trim().split("\n")).toHaveLength(1);
  return run.output;
}

function writeState(path: string, file: string, content: string): string {
  mkdirSync(join(path, "state"), { recursive: true });
  writeFileSync(join(path, "state", file), content);
  return path;
}

test("error message of the local runner names a port that is in use", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const port = String(typeof address === "object" ? address?.port : 0);
  expect(await getFailure(createProject(), { PORT: port })).toContain(`Port ${port} is in use`);
  server.close();
});

test("error message of the local runner names an invalid port", async () => {
  expect(await getFailure(createProject(), { PORT: "eighty" })).toContain("PORT=eighty is not an integer");
});

test("error message of the local runner names a state directory that is a file", async () => {
  expect(await getFailure(createProject(), { STATE_DIR: "cdk.json" })).toContain("STATE_DIR cdk.json cannot be used");
});

test("error message of the local runner names a state directory that is not writable", async () => {
  const path = createProject();
  mkdirSync(join(path, "state"));
  // File permissions do not prevent writes when tests run as root; a dangling symlink does.
  symlinkSync(join(path, "nowhere", "lock.json"), join(path, "state", "lock.json"));
  expect(await getFailure(path)).toContain("STATE_DIR state cannot be used");
});

test("error message of the local runner reports another runner on the same state directory", async () => {
  const path = createProject();
  await new Run(path).ready();
  expect(await getFailure(path)).toContain("Another runner uses");
});

test.each([
  ["table.db", "damaged"],
  ["secrets.json", "is not valid JSON"],
  ["checkpoints.json", "is not valid JSON"],
])("error message of the local runner names the state file that is corrupt: %s", async (file, message) => {
  const path = writeState(
    createProject(),
    file,
    "this is neither SQLite nor JSON, and long enough to be looked at twice",
  );
  expect(await getFailure(path)).toContain(message);
  const freshRun = new Run(path, {}, [main, "--fresh"]);
  await freshRun.ready();
});

test("error message of the local runner is replaced by the list of options for --help", async () => {
  const path = createProject();
  const run = new Run(path, {}, [main, "--with", "script.ts", "--help"]);
  expect(await run.exit).toBe(0);
  for (const option of ["--fresh", "--with <script>", "--help"]) expect(run.output).toContain(option);
  expect(existsSync(join(path, "ran"))).toBe(false);
});

test.each([
  ["Unknown option --fresj", ["--fresj"]],
  ["Unknown option --port", ["--fresh", "--port", "1"]],
  ["Unknown option fresh", ["fresh"]],
  ["Option --with requires a script", ["--with"]],
])("error message of the local runner is one sentence with exit code 2: %s", async (reason, args) => {
  const run = new Run(createProject(), {}, [main, ...args]);
  expect(await run.exit).toBe(2);
  expect(run.output).toBe(`${reason}; npm start -- --help lists the options.\n`);
});

test("error message of the local runner names a table server that is missing or does not respond", async () => {
  expect(await getFailure(createProject(), { DYNOXIDE_BIN: "/nowhere/dynoxide" })).toContain(
    "DYNOXIDE_BIN=/nowhere/dynoxide is not executable",
  );
  expect(await getFailure(createProject(), { DYNAMODB_ENDPOINT: "http://127.0.0.1:9" })).toContain(
    "No DynamoDB server responds at DYNAMODB_ENDPOINT",
  );
});

test("error message of the local runner contains the reason when the table server does not start", async () => {
  const path = createProject();
  const binary = join(path, "dynoxide");
  writeFileSync(binary, "#!/bin/sh\necho 'error: no luck today' >&2\nexit 1\n");
  chmodSync(binary, 0o755);
  expect(await getFailure(path, { DYNOXIDE_BIN: binary })).toContain("The table server did not start: no luck today");
});

test("error message of the local runner contains the output and exit code of a failed synthesis", async () => {
  const run = new Run(createProject("echo 'the stack is crooked' >&2; exit 7"));
  expect(await run.exit).toBe(1);
  expect(run.output).toMatch(/the stack is crooked\nSynthesis failed: .* exited with code 7/);
});
