/**
 * Deploys the synthesized stacks into MiniStack, an emulator of AWS by other authors, with two versions of the routes: the first,
 * then one in which a route was removed, one moved to another group and one renamed, and the first again as a rollback. Checks
 * the methods and functions after each deployment. Needs Python 3.10 or newer.
 * `npm run test:deploy`
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { allEntries, synthesize } from "../infra/synthesize.ts";

const packages = ["ministack==1.5.33", "boto3==1.43.*"];

/** Installs the emulator once outside the repository and returns the directory of its programs. */
function installEmulator(): string {
  const directory = join(tmpdir(), "switchboard-ministack-1.5.33");
  const programs = join(directory, "bin");
  if (existsSync(join(programs, "ministack"))) return programs;
  execFileSync("python3", ["-m", "venv", directory], { stdio: "inherit" });
  execFileSync(join(programs, "python"), ["-m", "pip", "install", "--quiet", ...packages], { stdio: "inherit" });
  return programs;
}

/** Returns the routes of the next version. */
function changeRoutes(): Route[] {
  return routes.flatMap((route) => {
    if (route.id === "searchTemplates") return [];
    if (route.id === "getMe") return [{ ...route, group: "moved" }];
    if (route.id === "listNotes") return [{ ...route, id: "listAllNotes" }];
    return [route];
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** Waits until the emulator responds. */
async function waitForEmulator(endpoint: string): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt++) {
    const isReady = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (isReady) return;
    await sleep(500);
  }
  throw new Error("The emulator did not start within a minute");
}

const programs = installEmulator();
const directory = mkdtempSync(join(tmpdir(), "switchboard-deploy-"));
const port = await findFreePort();
const endpoint = `http://127.0.0.1:${port}`;
const emulator = spawn(join(programs, "ministack"), {
  cwd: directory,
  env: { ...process.env, GATEWAY_PORT: String(port) },
  stdio: "ignore",
});
try {
  for (const [name, version] of Object.entries({ first: routes, next: changeRoutes() })) {
    synthesize({ stage: "prod", routes: version, entries: allEntries, outdir: join(directory, name) });
  }
  await waitForEmulator(endpoint);
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_DEFAULT_REGION: "us-east-1",
  };
  const deployment = spawn(join(programs, "python"), [join(import.meta.dirname, "deploy.py"), directory], {
    env,
    stdio: "inherit",
  });
  [process.exitCode] = await once(deployment, "exit");
} finally {
  emulator.kill();
  rmSync(directory, { recursive: true, force: true });
}
