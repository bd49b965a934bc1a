import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus, loadavg, totalmem } from "node:os";
import { createInterface } from "node:readline";

/**
 * Runs benchmarks: `npm run bench` lists them, `npm run bench -- <name> [arguments]` runs one. Prints what the benchmark prints
 * and writes it with the machine, its load and the versions to `bench-results/<name>.json`.
 */
const benchmarks = {
  gateway: { file: "openai-api/main.ts", measures: "the OpenAI-compatible API next to other gateways" },
  functions: { file: "runtime/main.ts", measures: "every function under AWS's runtime interface client" },
  memory: { file: "runtime/memory.ts", measures: "streaming functions with the memory and processor share of Lambda" },
  "first-token": { file: "first-token.ts", measures: "latency that the service adds to the first token" },
  chats: { file: "simultaneous-chats.ts", measures: "simultaneous chats, received and stored text compared" },
  guardrails: { file: "guardrails.ts", measures: "processor time of checks and of streamed redaction" },
  search: { file: "search.ts", measures: "quality, latency and read units of searches" },
  ingest: { file: "ingest.ts", measures: "documents per second and write units of indexing" },
  data: { file: "data.ts", measures: "round trips and table units of every operation" },
  growth: { file: "growth.ts", measures: "units and latency of requests while data grows" },
  events: { file: "events.ts", measures: "seconds to healthy receivers of events while others fail or hang" },
  streams: { file: "streams.ts", measures: "CPU, bytes, delay and table units of streams" },
  chain: { file: "chain.ts", measures: "the request chain next to a bare handler and to middy" },
  development: { file: "development.ts", measures: "start, and the time from an edit to its response" },
  cost: { file: "cost/main.ts", measures: "US dollars per 1,000 operations and per month without requests" },
} as const satisfies Record<string, { readonly file: string; readonly measures: string }>;

const isBenchmark = (name: string): name is keyof typeof benchmarks => name in benchmarks;

async function run(name: keyof typeof benchmarks, args: readonly string[]): Promise<number> {
  const startedAt = new Date().toISOString();
  const loadBefore = loadavg();
  const program = new URL(benchmarks[name].file, import.meta.url).pathname;
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const output: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    output.push(line);
  }
  const [exitCode] = await exited;
  const machine = { processor: cpus()[0]?.model, cores: cpus().length, memoryBytes: totalmem(), loadBefore };
  const result = { name, args, startedAt, exitCode, node: process.version, machine, output };
  const directory = new URL("../../bench-results/", import.meta.url);
  await mkdir(directory, { recursive: true });
  await writeFile(new URL(`${name}.json`, directory), `${JSON.stringify(result, null, 2)}\n`);
  return exitCode ?? 1;
}

const [name = "", ...args] = process.argv.slice(2);
if (isBenchmark(name)) {
  process.exitCode = await run(name, args);
} else {
  for (const [known, { measures }] of Object.entries(benchmarks)) console.log(`${known.padEnd(12)} ${measures}`);
  if (name !== "") {
    console.error(`There is no benchmark ${name}.`);
    process.exitCode = 2;
  }
}
