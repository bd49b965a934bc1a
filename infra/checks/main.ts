import { spawn } from "node:child_process";
import { mapConcurrent } from "../../shared/lib/map-concurrent.ts";

/** Commands of `npm run check`, the slowest first. */
const commands = [
  "tsc --build --force --checkers 1 . functions/web test/web",
  "biome check --error-on-warnings .",
  "node infra/checks/prose.ts",
  "node infra/checks/openapi.ts",
  "node infra/checks/commits.ts",
];

/** Runs a command, prints what it printed once it has ended, and returns true if it succeeded. */
async function run(command: string): Promise<boolean> {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const code = await new Promise((resolve) => child.once("error", () => resolve(1)).once("close", resolve));
  console.log(`> ${command}\n${output.trim()}`);
  return code === 0;
}

// The type check takes as long as the others together on one of two processors.
const results = await mapConcurrent(commands, run, 2);
if (results.includes(false)) process.exitCode = 1;
