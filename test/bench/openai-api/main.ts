/**
 * Compares the OpenAI-compatible API with `@portkey-ai/gateway` in front of the same upstream, interleaved in one run: the
 * latency that each adds to a non-streamed reply and to the first byte of a stream, and its requests per second with 16
 * clients. `npm run bench -- gateway`; `--quick` for a short run.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { startSwitchboard } from "#test/support/switchboard.ts";
import { installPackages, startGateway } from "./gateway.ts";

const isQuickRun = process.argv.includes("--quick");
const warmUp = isQuickRun ? 100 : 500;
const samples = isQuickRun ? 150 : 1_000;
const rounds = isQuickRun ? 2 : 5;
const roundSeconds = isQuickRun ? 3 : 6;
const clients = 16;

/** Chat completions endpoint to measure. */
interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly model: string;
}

const agent = new Agent({ keepAlive: true });
const createBody = ({ model }: Target, stream: boolean) =>
  JSON.stringify({ model, stream, messages: [{ role: "user", content: "What is the weather like in the north?" }] });

/** Sends one request and measures it in milliseconds. */
function measure(target: Target, stream: boolean): Promise<{ firstByte: number; whole: number }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const sent = request(target.url, { method: "POST", agent, headers: target.headers }, (response) => {
      let firstByte = 0;
      response.on("data", () => {
        firstByte ||= performance.now() - startedAt;
      });
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`${target.name} responded with ${response.statusCode}`));
        else resolve({ firstByte, whole: performance.now() - startedAt });
      });
    });
    sent.on("error", reject);
    sent.end(createBody(target, stream));
  });
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const quantile = (values: readonly number[], q: number) => sorted(values)[Math.floor(q * (values.length - 1))] ?? 0;
const ms = (value: number) => `${value.toFixed(2)} ms`;

/** Measures all targets in turns and returns their latencies in milliseconds. */
async function measureLatencies(targets: readonly Target[], stream: boolean): Promise<Map<Target, number[]>> {
  const times = new Map(targets.map((target) => [target, [] as number[]]));
  for (let n = 0; n < warmUp + samples; n++) {
    // Rotates which target is measured first.
    const turn = [...targets.slice(n % targets.length), ...targets.slice(0, n % targets.length)];
    for (const target of turn) {
      const { firstByte, whole } = await measure(target, stream);
      if (n >= warmUp) times.get(target)?.push(stream ? firstByte : whole);
    }
  }
  return times;
}

function report(title: string, times: Map<Target, number[]>): void {
  const [direct] = times.values();
  console.log(`\n${title} (median of ${samples}, latency added to the upstream, 95th percentile)`);
  for (const [{ name }, values] of times) {
    const added = quantile(values, 0.5) - quantile(direct ?? [], 0.5);
    console.log(
      `  ${name.padEnd(28)} ${ms(quantile(values, 0.5)).padStart(9)}  +${ms(added).padStart(8)}  p95 ${ms(quantile(values, 0.95))}`,
    );
  }
}

const packages = installPackages();
const autocannon = createRequire(join(packages, "package.json"))("autocannon");

async function measureThroughput(target: Target, stream: boolean): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({
    url: target.url,
    method: "POST",
    headers: target.headers,
    body: createBody(target, stream),
    connections: clients,
    duration: roundSeconds,
  });
  if (non2xx + errors > 0) throw new Error(`${target.name}: ${non2xx} error responses, ${errors} connection errors`);
  return requests.average;
}

const upstream = spawn("node", [join(import.meta.dirname, "upstream.ts")], { stdio: ["ignore", "pipe", "inherit"] });
const upstreamUrl = `http://127.0.0.1:${String((await once(upstream.stdout, "data"))[0]).trim()}/v1`;
const gateway = await startGateway(packages, { keepSleep: false });
const publishedGateway = await startGateway(packages, { keepSleep: true });
// Keeps the table in memory where possible, because a deployment's table does not share this machine's disk.
const stateDir = existsSync("/dev/shm") ? await mkdtemp("/dev/shm/switchboard-bench-") : undefined;
const service = await startSwitchboard({
  stateDir,
  env: {
    MODEL_PROVIDER: "openai-compatible",
    MODEL_BASE_URL: upstreamUrl,
    MODEL_ID: "gpt-4o",
    RATE_LIMIT_API_KEY: "1000000",
  },
});

async function createOwnTarget(): Promise<Target> {
  const post = async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
    const response = await fetch(service.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as { id: string; key: string };
  };
  const persona = { name: "Bench", instructions: "Be brief.", visibility: "public", tier: "QUICK" };
  const { id } = await post("/v1/personas", persona);
  await post(`/v1/personas/${id}/publish`, { slug: "bench" });
  const key = await post("/v1/tenant/api-keys", { description: "bench", scopes: ["chat.completions"] });
  const headers = { "content-type": "application/json", authorization: `Bearer ${key.key}` };
  return { name: "Switchboard", url: `${service.baseUrl}/openai/v1/chat/completions`, headers, model: "bench" };
}

function createGatewayTarget(name: string, baseUrl: string): Target {
  const headers = {
    "content-type": "application/json",
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": upstreamUrl,
  };
  return { name, url: `${baseUrl}/v1/chat/completions`, headers, model: "gpt-4o" };
}

try {
  const direct: Target = {
    name: "upstream alone",
    url: `${upstreamUrl}/chat/completions`,
    headers: { "content-type": "application/json" },
    model: "m",
  };
  const own = await createOwnTarget();
  const portkey = createGatewayTarget("Portkey, without its sleep", gateway.baseUrl);
  const portkeyAsPublished = createGatewayTarget("Portkey, as published", publishedGateway.baseUrl);
  report("Whole reply", await measureLatencies([direct, own, portkey], false));
  report("First byte of a stream", await measureLatencies([direct, own, portkey, portkeyAsPublished], true));
  for (const stream of [false, true]) {
    const rates = new Map<Target, number[]>([
      [own, []],
      [portkey, []],
    ]);
    for (let round = 0; round < rounds; round++) {
      for (const target of round % 2 ? [portkey, own] : [own, portkey]) {
        rates.get(target)?.push(await measureThroughput(target, stream));
      }
    }
    const title = stream ? "streams of 46 words" : "whole replies";
    console.log(`\n${title} per second, ${clients} clients (median of ${rounds} rounds of ${roundSeconds} s)`);
    for (const [{ name }, values] of rates) {
      console.log(`  ${name.padEnd(28)} ${quantile(values, 0.5).toFixed(0).padStart(6)}`);
    }
  }
} finally {
  agent.destroy();
  for (const child of [upstream, gateway.process, publishedGateway.process]) child.kill();
  await service.stop();
  if (stateDir) await rm(stateDir, { recursive: true, force: true });
}
