import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Installs what the comparison needs, once, outside of the repository. @returns the directory it is in */
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

function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`The gateway's code is not as expected: no ${pattern}`);
  return text.replace(pattern, by);
}

/** The gateway's program, bound to loopback; without the 25 ms that it sleeps before the first chunk, where wanted. */
function programOf(packages: string, { sleeps }: { sleeps: boolean }): string {
  const source = join(packages, "node_modules/@portkey-ai/gateway/build");
  const build = join(packages, "node_modules/@portkey-ai/gateway", sleeps ? "build-loopback" : "build-awake");
  cpSync(source, build, { recursive: true });
  const file = join(build, "start-server.js");
  const bound = replaced(
    readFileSync(file, "utf8"),
    /(\(\{fetch:\w+\.fetch,port:\w+)\}\)/,
    '$1,hostname:"127.0.0.1"})',
  );
  const awake = /await new Promise\(\(?\w+=>setTimeout\(\w+,25\)\)?\)/;
  writeFileSync(file, sleeps ? bound : replaced(bound, awake, "0"));
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the gateway. @returns its address and its process */
export async function startGateway(
  packages: string,
  options: { sleeps: boolean },
): Promise<{ baseUrl: string; process: ChildProcess }> {
  const port = await freePort();
  const child = spawn("node", [programOf(packages, options), `--port=${port}`, "--headless"], {
    stdio: "ignore",
    env: { ...process.env, NODE_ENV: "production" },
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 100; attempt++) {
    if (
      await fetch(baseUrl).then(
        () => true,
        () => false,
      )
    )
      return { baseUrl, process: child };
    await sleep(100);
  }
  child.kill();
  throw new Error("The gateway did not start");
}
