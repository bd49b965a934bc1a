/**
 * The OpenAI-compatible surface beside `@portkey-ai/gateway`, in front of the same upstream, interleaved in one run:
 * what each adds to a whole reply and to the first byte of a stream, and how many requests a second it takes from 16
 * clients. `npm run bench:openai`; `--quick` for a short look.
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

const quick = process.argv.includes("--quick");
const warmUp = quick ? 100 : 500;
const samples = quick ? 150 : 1_000;
const rounds = quick ? 2 : 5;
const seconds = quick ? 3 : 6;
const clients = 16;

/** Something that answers chat completions. */
interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly model: string;
}

const agent = new Agent({ keepAlive: true });
const bodyFor = ({ model }: Target, stream: boolean) =>
  JSON.stringify({ model, stream, messages: [{ role: "user", content: "What is the weather like in the north?" }] });

/** One request, timed in milliseconds. */
function measure(target: Target, stream: boolean): Promise<{ firstByte: number; whole: number }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const sent = request(target.url, { method: "POST", agent, headers: target.headers }, (response) => {
      let firstByte = 0;
      response.on("data", () => {
        firstByte ||= performance.now() - startedAt;
      });
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`${target.name} answered ${response.statusCode}`));
        else resolve({ firstByte, whole: performance.now() - startedAt });
      });
    });
    sent.on("error", reject);
    sent.end(bodyFor(target, stream));
  });
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const quantile = (values: readonly number[], q: number) => sorted(values)[Math.floor(q * (values.length - 1))] ?? 0;
const ms = (value: number) => `${value.toFixed(2)} ms`;

/** Medians of each target, asked in turns. */
async function latencies(targets: readonly Target[], stream: boolean): Promise<Map<Target, number[]>> {
  const times = new Map(targets.map((target) => [target, [] as number[]]));
  for (let n = 0; n < warmUp + samples; n++) {
    // Each goes first equally often.
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
  console.log(`\n${title} (medians of ${samples}, added to what the upstream itself takes; 95th percentile)`);
  for (const [{ name }, values] of times) {
    const added = quantile(values, 0.5) - quantile(direct ?? [], 0.5);
    console.log(
      `  ${name.padEnd(28)} ${ms(quantile(values, 0.5)).padStart(9)}  +${ms(added).padStart(8)}  p95 ${ms(quantile(values, 0.95))}`,
    );
  }
}

const packages = installPackages();
const autocannon = createRequire(join(packages, "package.json"))("autocannon");

async function throughput(target: Target, stream: boolean): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({
    url: target.url,
    method: "POST",
    headers: target.headers,
    body: bodyFor(target, stream),
    connections: clients,
    duration: seconds,
  });
  if (non2xx + errors > 0) throw new Error(`${target.name}: ${non2xx} refusals, ${errors} errors`);
  return requests.average;
}

const upstream = spawn("node", [join(import.meta.dirname, "upstream.ts")], { stdio: ["ignore", "pipe", "inherit"] });
const upstreamUrl = `http://127.0.0.1:${String((await once(upstream.stdout, "data"))[0]).trim()}/v1`;
const gateway = await startGateway(packages, { sleeps: false });
const sleepy = await startGateway(packages, { sleeps: true });
// The table is another machine's in a deployment: what a disk adds here to every write is kept out, where there is memory for it.
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

async function ownTarget(): Promise<Target> {
  const post = async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
    const answer = await fetch(service.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { id: string; key: string };
  };
  const persona = { name: "Bench", instructions: "Be brief.", visibility: "public", tier: "QUICK" };
  const { id } = await post("/v1/personas", persona);
  await post(`/v1/personas/${id}/publish`, { slug: "bench" });
  const key = await post("/v1/tenant/api-keys", { description: "bench", scopes: ["chat.completions"] });
  const headers = { "content-type": "application/json", authorization: `Bearer ${key.key}` };
  return { name: "Switchboard", url: `${service.baseUrl}/openai/v1/chat/completions`, headers, model: "bench" };
}

function gatewayTarget(name: string, baseUrl: string): Target {
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
    name: "the upstream itself",
    url: `${upstreamUrl}/chat/completions`,
    headers: { "content-type": "application/json" },
    model: "m",
  };
  const own = await ownTarget();
  const theirs = gatewayTarget("Portkey, without its sleep", gateway.baseUrl);
  const asPublished = gatewayTarget("Portkey, as published", sleepy.baseUrl);
  report("Whole reply", await latencies([direct, own, theirs], false));
  report("First byte of a stream", await latencies([direct, own, theirs, asPublished], true));
  for (const stream of [false, true]) {
    const rates = new Map<Target, number[]>([
      [own, []],
      [theirs, []],
    ]);
    for (let round = 0; round < rounds; round++) {
      for (const target of round % 2 ? [theirs, own] : [own, theirs]) {
        rates.get(target)?.push(await throughput(target, stream));
      }
    }
    const what = stream ? "streams of 46 words" : "whole replies";
    console.log(`\n${what} a second, ${clients} clients (median of ${rounds} rounds of ${seconds} s)`);
    for (const [{ name }, values] of rates) {
      console.log(`  ${name.padEnd(28)} ${quantile(values, 0.5).toFixed(0).padStart(6)}`);
    }
  }
} finally {
  agent.destroy();
  for (const child of [upstream, gateway.process, sleepy.process]) child.kill();
  await service.stop();
  if (stateDir) await rm(stateDir, { recursive: true, force: true });
}
