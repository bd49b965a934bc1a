import { type ChildProcess, spawn } from "node:child_process";
import { inheritedEnvironment } from "../../shared/lib/env.ts";

/**
 * Runs a script beside the app, with the app's address in `BASE_URL`. What it prints is printed, and its standard input ends
 * when this process does, however that comes about: so it knows when to end.
 */
export function startCompanion(
  script: string,
  { baseUrl, stateDir }: { baseUrl: string; stateDir: string },
): ChildProcess {
  const env = { ...inheritedEnvironment(), BASE_URL: baseUrl, STATE_DIR: stateDir };
  const child = spawn(process.execPath, [script], { env, stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.on("error", () => {});
  return child;
}
