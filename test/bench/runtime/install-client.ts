import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const VERSION = "4.0.2";

/**
 * Installs AWS's runtime interface client once outside the repository and returns its program. The client contains C++ code,
 * which needs `cmake`, `make` and a compiler.
 */
export function installClient(): string {
  const directory = join(tmpdir(), `switchboard-ric-${VERSION}`);
  const program = join(directory, "node_modules/aws-lambda-ric/index.mjs");
  if (existsSync(join(dirname(program), "rapid-client.node"))) return program;
  mkdirSync(directory, { recursive: true });
  const dependencies = { "aws-lambda-ric": VERSION };
  writeFileSync(join(directory, "package.json"), JSON.stringify({ private: true, dependencies }));
  // The headers of the Node that runs this program.
  const env = { ...process.env, npm_config_nodedir: dirname(dirname(process.execPath)) };
  const options = ["--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", ...options], { cwd: directory, env, stdio: ["ignore", "ignore", "inherit"] });
  return program;
}
