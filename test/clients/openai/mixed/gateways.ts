import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Instance and names that a gateway is configured with. */
export interface GatewaySettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly embeddingModel: string;
}

/** Running third-party gateway in front of the API. */
export interface Gateway {
  readonly baseUrl: string;
  readonly key: string;
  readonly version: string;
  stop(): void;
}

/**
 * Name of a second model, whose calls provoke errors of the provider. A proxy pauses a model after errors, and must not
 * pause the model of the other calls.
 */
export const FAULTY_MODEL = "faulty";

/** Name of the model that LiteLLM's proxy falls back to when a prompt is too long. */
const LONG_MODEL = "long";

const START_TIMEOUT_MS = 180_000;

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a server with a directory of its own and waits until it responds. @throws Error with its output if it does not */
async function startServer(
  command: string,
  toArgs: (port: number, directory: string) => string[],
  { env, healthPath }: { env: Record<string, string>; healthPath: string },
): Promise<{ url: string; stop(): void }> {
  const directory = mkdtempSync(join(tmpdir(), "switchboard-gateway-"));
  const port = await findFreePort();
  const child: ChildProcess = spawn(command, toArgs(port, directory), {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DATA_DIR: directory, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => {
      output = (output + data).slice(-4_000);
    });
  }
  const stop = () => {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline && child.exitCode === null; ) {
    const isReady = await fetch(url + healthPath).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { url, stop };
    await sleep(250);
  }
  stop();
  throw new Error(`${command} did not start:\n${output}`);
}

async function startLitellm(
  command: string,
  { baseUrl, apiKey, model, embeddingModel }: GatewaySettings,
): Promise<Gateway> {
  const toEntry = (model_name: string, id: string, options: object = {}) => ({
    model_name,
    litellm_params: { model: `openai/${id}`, api_base: baseUrl, api_key: apiKey, ...options },
  });
  const model_list = [
    toEntry(model, model),
    toEntry(FAULTY_MODEL, model, { max_retries: 0 }),
    toEntry(LONG_MODEL, model),
    toEntry(embeddingModel, embeddingModel),
  ];
  const key = `sk-${randomBytes(16).toString("hex")}`;
  const { url, stop } = await startServer(
    command,
    (port, directory) => {
      const config = join(directory, "config.json");
      // The proxy reads YAML, of which JSON is a subset. It makes no retries, because it would wait for `Retry-After`
      // before each.
      const router_settings = { num_retries: 0, context_window_fallbacks: [{ [model]: [LONG_MODEL] }] };
      writeFileSync(config, JSON.stringify({ model_list, router_settings }));
      return ["--config", config, "--host", "127.0.0.1", "--port", String(port)];
    },
    {
      env: { LITELLM_MASTER_KEY: key, LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_LOG: "ERROR" },
      healthPath: "/health/liveliness",
    },
  );
  return { baseUrl: `${url}/v1`, key, version: process.env.CLIENT_VERSION ?? "", stop };
}

async function startOpenWebui(command: string, { baseUrl, apiKey }: GatewaySettings): Promise<Gateway> {
  const { url, stop } = await startServer(command, (port) => ["serve", "--host", "127.0.0.1", "--port", String(port)], {
    env: {
      ENABLE_OLLAMA_API: "false",
      OPENAI_API_BASE_URLS: baseUrl,
      OPENAI_API_KEYS: apiKey,
      OFFLINE_MODE: "true",
      HF_HUB_OFFLINE: "1",
      RAG_EMBEDDING_ENGINE: "openai",
      RAG_OPENAI_API_BASE_URL: baseUrl,
      RAG_OPENAI_API_KEY: apiKey,
      WEBUI_SECRET_KEY: randomBytes(16).toString("hex"),
    },
    healthPath: "/health",
  });
  // The first user becomes the administrator.
  const response = await fetch(`${url}/api/v1/auths/signup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Test", email: "test@example.com", password: "Test-Password-1" }),
  });
  const { token } = (await response.json()) as { token?: string };
  if (!token) throw new Error(`Open WebUI created no user: ${response.status}`);
  // Open WebUI must load the list of models before it accepts calls to them.
  const headers = { authorization: `Bearer ${token}` };
  await (await fetch(`${url}/api/models`, { headers })).text();
  return { baseUrl: `${url}/api`, key: token, version: process.env.CLIENT_VERSION ?? "", stop };
}

/** Functions that start a gateway, by the gateway's name. */
export const gateways: Readonly<Record<string, (command: string, settings: GatewaySettings) => Promise<Gateway>>> = {
  "LiteLLM proxy": startLitellm,
  "Open WebUI": startOpenWebui,
};
