/**
 * Compares the OpenAI-compatible API with `@portkey-ai/gateway` and LiteLLM's proxy in front of the same upstream,
 * interleaved in one run: the latency that each adds, its requests per second and its CPU time. `npm run bench -- gateway`;
 * `--quick` for a short run. Requires Linux and Python 3.10.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSwitchboard } from "#test/support/switchboard.ts";
import { getBusiestWorkerMs, readCpuTime } from "./cpu-time.ts";
import { findFreePort, installPackages, startGateway } from "./gateway.ts";
import { startProxy } from "./litellm.ts";
import { createBody, inTurns, measure, quantile, type Target, type Times } from "./measure.ts";

const isQuickRun = process.argv.includes("--quick");
const latencyRounds = isQuickRun ? 4 : 12;
const throughputRounds = isQuickRun ? 2 : 5;
const roundSeconds = isQuickRun ? 3 : 6;
const pacedStreams = isQuickRun ? 24 : 96;
const warmUpRequests = isQuickRun ? 400 : 2_000;

/** Requests of each round by the number of clients. */
const requestsByClients = [
  [1, 40],
  [16, 320],
  [64, 640],
] as const;

const THROUGHPUT_CLIENTS = 16;
const PACED_CLIENTS = 8;

/** Time after a round in which servers finish the work that follows a response. */
const PAUSE_MS = 120;

const packages = installPackages();
const autocannon = createRequire(join(packages, "package.json"))("autocannon");

const ms = (value: number, digits = 2) => value.toFixed(digits).padStart(8);

async function measureLatencies(targets: readonly Target[], stream: boolean): Promise<void> {
  for (const [clients, requests] of requestsByClients) {
    const times = new Map(targets.map((target) => [target, [] as Times[]]));
    await inTurns(targets, latencyRounds, async (target) => {
      times.get(target)?.push(...(await measure(target, createBody(target, stream), clients, requests)));
      await sleep(PAUSE_MS);
    });
    const title = stream ? "Streams of 46 words" : "Whole replies";
    console.log(
      `\n${title}, ${clients} clients: median and 95th percentile in ms, and the latency added to the upstream`,
    );
    console.log(`  ${"".padEnd(28)}   median      p95    added${stream ? "  first byte  added" : ""}`);
    const medianOf = (target: Target | undefined, name: keyof Times) =>
      quantile(
        (target ? (times.get(target) ?? []) : []).map((each) => each[name]),
        0.5,
      );
    for (const [target, measured] of times) {
      const [whole, firstByte] = [medianOf(target, "whole"), medianOf(target, "firstByte")];
      const p95 = quantile(
        measured.map((each) => each.whole),
        0.95,
      );
      const added = whole - medianOf(targets[0], "whole");
      const firstByteText = `${ms(firstByte)}${ms(firstByte - medianOf(targets[0], "firstByte"))}`;
      console.log(
        `  ${target.name.padEnd(28)}${ms(whole)} ${ms(p95)} ${ms(added)}${stream ? `   ${firstByteText}` : ""}`,
      );
    }
  }
}

async function measureThroughput(targets: readonly Target[], stream: boolean): Promise<void> {
  const rates = new Map(targets.map((target) => [target, [] as number[]]));
  const cpu = new Map(targets.map((target) => [target, { requests: 0, totalMs: 0, workerMs: 0 }]));
  await inTurns(targets, throughputRounds, async (target) => {
    const before = readCpuTime(target.pid);
    const { requests, non2xx, errors } = await autocannon({
      url: target.url,
      method: "POST",
      headers: target.headers,
      body: createBody(target, stream),
      connections: THROUGHPUT_CLIENTS,
      duration: roundSeconds,
    });
    await sleep(PAUSE_MS);
    const after = readCpuTime(target.pid);
    if (non2xx + errors > 0) throw new Error(`${target.name}: ${non2xx} error responses, ${errors} connection errors`);
    rates.get(target)?.push(requests.average);
    const used = cpu.get(target);
    if (!used) return;
    used.requests += requests.total;
    used.totalMs += after.totalMs - before.totalMs;
    used.workerMs += getBusiestWorkerMs(target.pid, before, after);
  });
  const title = stream ? "Streams of 46 words" : "Whole replies";
  console.log(`\n${title} per second with ${THROUGHPUT_CLIENTS} clients, and CPU ms per request`);
  for (const [target, values] of rates) {
    const { requests, totalMs, workerMs } = cpu.get(target) ?? { requests: 1, totalMs: 0, workerMs: 0 };
    const worker = target === targets[0] ? `, in the function ${(workerMs / requests).toFixed(2)}` : "";
    const rate = quantile(values, 0.5).toFixed(0).padStart(6);
    console.log(`  ${target.name.padEnd(28)} ${rate}  CPU ${(totalMs / requests).toFixed(2)}${worker}`);
  }
}

/** Measures the CPU time of the function for each token of streams that arrive word by word, next to the AI SDK's. */
async function measureTokens(target: Target, upstreamUrl: string): Promise<void> {
  const body = createBody(target, true, "paced");
  await measure(target, body, PACED_CLIENTS, pacedStreams / 2);
  const before = readCpuTime(target.pid);
  const streams = (await measure(target, body, PACED_CLIENTS, pacedStreams)).length;
  const after = readCpuTime(target.pid);
  const tokens = streams * 400;
  await copyFile(join(import.meta.dirname, "peers/stream-text.mjs"), join(packages, "stream-text.mjs"));
  const args = ["stream-text.mjs", upstreamUrl, "slowly", String(pacedStreams), String(PACED_CLIENTS)];
  const sdkMs = Number(execFileSync(process.execPath, args, { cwd: packages, encoding: "utf8" }));
  console.log(`\nCPU ms per token of ${streams} streams of 400 words, one word per ms, ${PACED_CLIENTS} at a time`);
  console.log(`  the function                 ${(getBusiestWorkerMs(target.pid, before, after) / tokens).toFixed(4)}`);
  console.log(`  the service, all processes   ${((after.totalMs - before.totalMs) / tokens).toFixed(4)}`);
  console.log(`  streamText of the AI SDK     ${sdkMs.toFixed(4)}`);
}

/** Processes to stop at the end, even if a later one does not start. */
const children: ChildProcess[] = [];
process.once("exit", () => {
  for (const child of children) child.kill();
});

function track<Server extends { readonly process: ChildProcess }>(server: Server): Server {
  children.push(server.process);
  return server;
}

const upstream = spawn("node", [join(import.meta.dirname, "upstream.ts")], { stdio: ["ignore", "pipe", "inherit"] });
children.push(upstream);
const upstreamUrl = `http://127.0.0.1:${String((await once(upstream.stdout, "data"))[0]).trim()}/v1`;
const gateway = track(await startGateway(packages, { keepSleep: false }));
const publishedGateway = track(await startGateway(packages, { keepSleep: true }));
const proxy = track(await startProxy(packages, upstreamUrl, await findFreePort()));
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
  const url = `${service.baseUrl}/openai/v1/chat/completions`;
  return { name: "Switchboard", url, headers, model: "bench", pid: service.process.pid ?? 0 };
}

type RunningGateway = Awaited<ReturnType<typeof startGateway>>;

function createGatewayTarget(name: string, { baseUrl, process: { pid = 0 } }: RunningGateway): Target {
  const headers = {
    "content-type": "application/json",
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": upstreamUrl,
  };
  return { name, url: `${baseUrl}/v1/chat/completions`, headers, model: "gpt-4o", pid };
}

try {
  const json = { "content-type": "application/json" };
  const direct: Target = {
    name: "upstream alone",
    url: `${upstreamUrl}/chat/completions`,
    headers: json,
    model: "m",
    pid: upstream.pid ?? 0,
  };
  const own = await createOwnTarget();
  const portkey = createGatewayTarget("Portkey, without its sleep", gateway);
  const published = createGatewayTarget("Portkey, as published", publishedGateway);
  const litellm: Target = {
    name: "LiteLLM proxy",
    url: `${proxy.baseUrl}/v1/chat/completions`,
    headers: { ...json, authorization: `Bearer ${proxy.key}` },
    model: "gpt-4o",
    pid: proxy.process.pid ?? 0,
    share: 0.1,
  };
  for (const target of [own, portkey, published, litellm]) {
    for (const stream of [false, true]) await measure(target, createBody(target, stream), 8, warmUpRequests / 2);
  }
  await measureLatencies([direct, own, portkey, litellm], false);
  await measureLatencies([direct, own, portkey, published, litellm], true);
  for (const stream of [false, true]) await measureThroughput([own, portkey, litellm], stream);
  await measureTokens(own, upstreamUrl);
} finally {
  for (const child of children) child.kill();
  await service.stop();
  if (stateDir) await rm(stateDir, { recursive: true, force: true });
}
