import { spawn } from "node:child_process";
import { mapConcurrent } from "../../shared/lib/map-concurrent.ts";

/** Commands of `npm run check`. The slowest is first, because it runs at the same time as all others. */
const commands = [
  "tsc --build --force --checkers 1 . functions/web test/web",
  "biome check --error-on-warnings .",
  "node infra/checks/prose.ts",
  "node infra/commands/uses.ts --check",
  "node infra/checks/openapi.ts",
  "node infra/checks/commits.ts",
  "node infra/checks/audit.ts",
];

/** Runs a command, prints what it printed once it has ended, and returns true if it succeeded. */
async function run(command: string): Promise<boolean> {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise((resolve) => child.once("error", () => resolve(1)).once("close", resolve));
  console.log(`> ${command}\n${output.trim()}`);
  return code === 0;
}

const results = await mapConcurrent(commands, run, 2);
if (results.includes(false)) process.exitCode = 1;
