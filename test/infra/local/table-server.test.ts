import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { awsJson } from "../../../infra/local/aws-json.ts";
import { startTableServer } from "../../../infra/local/tables/table-server.ts";

const mac = { platform: "darwin", arch: "arm64" };
const packaged = join(dirname(createRequire(import.meta.url).resolve("@dynoxide/linux-x64/package.json")), "dynoxide");
const { PATH } = process.env;
let directory: string;

/** Puts a program into the first directory of the PATH, before those of the shell's own commands. */
function install(name: string, script: string): void {
  writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(directory, name), 0o755);
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "table-server-"));
  vi.stubEnv("PATH", `${directory}:${PATH}`);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

it("table server starts with npx in the pinned version on a platform without a packaged server, and reports this", async () => {
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  // npx runs the program as a child, which must end with it.
  install(
    "npx",
    `echo "$1 $2" >"${directory}/arguments"; shift 2; "${packaged}" "$@" & echo $! >"${directory}/pid"; wait`,
  );
  const { endpoint, close } = await startTableServer(join(directory, "table.db"), mac);
  expect(await awsJson(endpoint, "DynamoDB_20120810.ListTables", {})).toMatchObject({ TableNames: [] });
  await close();
  expect(readFileSync(join(directory, "arguments"), "utf8")).toMatch(/^--yes dynoxide@\d+\.\d+\.\d+\n$/);
  expect(printed.mock.calls.join()).toContain("No table server is packaged for darwin arm64: npx starts dynoxide");
  const pid = Number(readFileSync(join(directory, "pid"), "utf8"));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

it("table server on the PATH is preferred to npx", async () => {
  install("npx", "exit 1");
  install("dynoxide", `exec "${packaged}" "$@"`);
  const { close } = await startTableServer(join(directory, "table.db"), mac);
  await close();
});

it("table server that is missing on the platform fails with all ways to provide one", async () => {
  vi.stubEnv("PATH", directory);
  await expect(startTableServer(join(directory, "table.db"), mac)).rejects.toThrow(
    /for darwin arm64.*PATH.*DYNOXIDE_BIN.*DYNAMODB_ENDPOINT/,
  );
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
