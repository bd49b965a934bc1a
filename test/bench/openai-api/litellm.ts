import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitUntilReachable } from "./gateway.ts";

/** Installs the proxy from PyPI into a folder; requires Python 3.10. */
function installProxy(directory: string): string {
  const environment = join(directory, "litellm");
  if (!existsSync(join(environment, "installed"))) {
    execFileSync("python3", ["-m", "venv", environment], { stdio: ["ignore", "ignore", "inherit"] });
    execFileSync(join(environment, "bin/pip"), ["install", "--quiet", "litellm[proxy]"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    writeFileSync(join(environment, "installed"), "");
  }
  return join(environment, "bin/litellm");
}

/** Starts LiteLLM's proxy in front of a provider, with one worker, as it is installed. */
export async function startProxy(
  packages: string,
  upstreamUrl: string,
  port: number,
): Promise<{ baseUrl: string; key: string; process: ChildProcess }> {
  const program = installProxy(packages);
  const config = join(packages, "litellm.json");
  const litellm_params = { model: "openai/gpt-4o", api_base: upstreamUrl, api_key: "none" };
  // LiteLLM reads YAML, and JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ model_list: [{ model_name: "gpt-4o", litellm_params }] }));
  // Without a key, the proxy does not start.
  const key = `sk-${randomBytes(16).toString("hex")}`;
  const child = spawn(program, ["--config", config, "--host", "127.0.0.1", "--port", String(port)], {
    stdio: "ignore",
    env: { ...process.env, LITELLM_MASTER_KEY: key, LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_LOG: "ERROR" },
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  await waitUntilReachable(`${baseUrl}/health/liveliness`, child);
  return { baseUrl, key, process: child };
}
