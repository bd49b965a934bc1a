import { type ChildProcess, spawn } from "node:child_process";
import { getEnvironment } from "../../shared/lib/env.ts";

/**
 * Runs a script alongside the app, with the app's address in `BASE_URL`. The script shares stdout and stderr. Its stdin
 * closes when this process ends, even if it is killed, so that the script can exit.
 */
export function startSidecar(
  script: string,
  { baseUrl, stateDir }: { baseUrl: string; stateDir: string },
): ChildProcess {
  const env = { ...getEnvironment(), BASE_URL: baseUrl, STATE_DIR: stateDir };
  const child = spawn(process.execPath, [script], { env, stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.on("error", () => {});
  return child;
}
