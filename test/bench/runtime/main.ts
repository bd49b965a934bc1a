/**
 * Runs every bundled function under AWS's runtime interface client: each answers an event, streams in order, and is
 * initialized in fresh processes next to an empty handler. Prints medians of the initialization time and of its processor time,
 * and the peak memory.
 * `npm run bench -- functions [runs] [pattern]`, 11 runs by default. Linux only.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { routes } from "#shared/api/routes.ts";
import { bundleFunctions } from "../../../infra/bundle/bundle.ts";
import { planFunctions } from "../../../infra/bundle/bundle-plan.ts";
import { entryPointOf, kebabCase, notFoundEntryPoint } from "../../../infra/naming.ts";
import { synthesize } from "../../infra/synthesize.ts";
import { startSecretsManager } from "../../support/secrets-manager.ts";
import { startMeteredTable } from "../../support/tables/metered-table.ts";
import { findFunctions } from "./deployed-functions.ts";
import * as events from "./events.ts";
import { type FunctionCode, type FunctionProcess, startFunction } from "./function-process.ts";
import { installClient } from "./install-client.ts";
import type { InvocationResult } from "./runtime-api.ts";

/** Kind of a function, with the time that its initialization may take beyond that of an empty handler. */
const limitsMs = { rest: 60, streaming: 90, authorizer: 60, job: 150, processor: 150 } as const;

interface MeasuredFunction extends FunctionCode {
  readonly kind: keyof typeof limitsMs;
  readonly event: unknown;
}

const runs = Number(process.argv[2] ?? 11);
const pattern = new RegExp(process.argv[3] ?? "");

const client = installClient();
const table = await startMeteredTable();
const secrets = await startSecretsManager();
secrets.stored.set("app-secret", { SecretString: "a".repeat(64), CreatedDate: 0 });
secrets.stored.set("origin-secret", { SecretString: events.ORIGIN_SECRET, CreatedDate: 0 });
secrets.stored.set("deployment-key", { SecretString: "d".repeat(64), CreatedDate: 0 });
const bundle = await bundleFunctions(planFunctions(process.cwd(), "minified"));
const templates = synthesize({ stage: "local", bundle });

/** Values of variables that CloudFormation sets. */
const deployedValues: Readonly<Record<string, string>> = {
  TABLE_NAME: "switchboard-test",
  APP_SECRET: "secret:app-secret",
  DEPLOYMENT_KEY: "secret:deployment-key",
  ORIGIN_SECRET: "secret:origin-secret",
  UPLOAD_BUCKET: "uploads",
};

const findFunction = findFunctions(bundle, templates, deployedValues);

function describeFunction(
  name: string,
  entry: string,
  kind: MeasuredFunction["kind"],
  event: unknown,
): MeasuredFunction {
  const { environment, ...code } = findFunction(name, entry);
  const endpoints = { AWS_ENDPOINT_URL: table.endpoint, AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint };
  return { ...code, kind, event, environment: { ...environment, ...endpoints } };
}

const functions: readonly MeasuredFunction[] = [
  ...routes.map((route) =>
    route.streaming
      ? describeFunction(kebabCase(route.id), entryPointOf(route), "streaming", events.streamRequest(route))
      : describeFunction(kebabCase(route.id), entryPointOf(route), "rest", events.restRequest(route)),
  ),
  describeFunction("route-not-found", notFoundEntryPoint, "rest", {
    ...events.authorizerRequest(),
    httpMethod: "GET",
    path: "/none",
    body: null,
    isBase64Encoded: false,
  }),
  ...["api-key", "deployment-key", "embed-key", "jwt"].map((credential) =>
    describeFunction(
      `authorizer-${credential}`,
      `functions/authorizers/${credential}.ts`,
      "authorizer",
      events.authorizerRequest(),
    ),
  ),
  ...bundle.jobs.map((entry) => describeFunction(entry.replace(/^.*\/|\.ts$/g, ""), entry, "job", events.jobEvent())),
  ...bundle.processors.map((entry) =>
    describeFunction(`changes-${entry.split("/").at(-2)}`, entry, "processor", events.changeEvent()),
  ),
].filter(({ name }) => pattern.test(name));

function createEmptyFunction(): FunctionCode {
  const directory = mkdtempSync(join(tmpdir(), "empty-function-"));
  writeFileSync(join(directory, "index.cjs"), "exports.handler = async () => ({});");
  return { name: "empty", directory, environment: {} };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

type InitTime = Pick<FunctionProcess, "initMs" | "initCpuMs">;

async function measureInit(code: FunctionCode): Promise<InitTime> {
  const running = await startFunction(client, code);
  await running.stop();
  return running;
}

const medianInit = (times: readonly InitTime[]): InitTime => ({
  initMs: median(times.map(({ initMs }) => initMs)),
  initCpuMs: median(times.map(({ initCpuMs }) => initCpuMs)),
});

const textOf = ({ chunks }: InvocationResult) => chunks.map(({ text }) => text).join("");

/** Returns the status of an HTTP response, or a word for another answer. */
function summarize(result: InvocationResult): string {
  const text = textOf(result);
  if (result.kind === "error") return `error ${/"errorMessage":\s*"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 80)}`;
  return /"statusCode":\s*(\d+)/.exec(text)?.[1] ?? "answered";
}

/** Errors that an authorizer throws on purpose, because API Gateway makes a 401 of them. */
const isExpected = ({ kind }: MeasuredFunction, summary: string) =>
  !summary.startsWith("error") || (kind === "authorizer" && summary === "error Unauthorized");

/** Streams an answer and returns the times of its chunks and the order of its events. */
async function measureStream(): Promise<string> {
  const find = (id: string) => routes.find((route) => route.id === id) ?? routes[0];
  const [create, chat] = [find("createConversation"), find("startChat")];
  if (!create || !chat) throw new Error("The routes of the chat are missing");
  const creator = await startFunction(
    client,
    describeFunction("create-conversation", entryPointOf(create), "rest", null),
  );
  const created = await creator.invoke(events.restRequest(create, '{"title":"Stream"}'));
  await creator.stop();
  const conversation_id = JSON.parse(JSON.parse(textOf(created)).body).id;
  const streamer = await startFunction(client, describeFunction("start-chat", entryPointOf(chat), "streaming", null));
  const body = JSON.stringify({ conversation_id, content: "Tell me about your tiers.", tier: "THINKING" });
  const result = await streamer.invoke(events.streamRequest(chat, body));
  const peakMb = streamer.getPeakMb();
  await streamer.stop();
  const ids = [...textOf(result).matchAll(/^id: \S+:(\d+)$/gm)].map(([, id]) => Number(id));
  const isOrdered = ids.every((id, index) => index === 0 || id > Number(ids[index - 1]));
  const [first, last] = [result.chunks[0]?.atMs ?? 0, result.chunks.at(-1)?.atMs ?? 0];
  if (!result.isStreamed || !isOrdered || ids.length < 3) throw new Error(`The stream is broken: ${textOf(result)}`);
  return (
    `stream of start-chat: ${ids.length} events in order, ${result.chunks.length} chunks, first after ` +
    `${first.toFixed(0)} ms, last after ${last.toFixed(0)} ms, ${peakMb.toFixed(0)} MB`
  );
}

const empty = createEmptyFunction();
await measureInit(empty);
const emptyTimes: InitTime[] = [];
const results: (InitTime & { name: string; kind: MeasuredFunction["kind"]; peakMb: number; summary: string })[] = [];
for (const code of functions) {
  const running = await startFunction(client, code);
  const summary = summarize(await running.invoke(code.event));
  const times: InitTime[] = [running];
  const peakMb = running.getPeakMb();
  await running.stop();
  while (times.length < runs) times.push(await measureInit(code));
  emptyTimes.push(await measureInit(empty));
  results.push({ name: code.name, kind: code.kind, peakMb, summary, ...medianInit(times) });
  if (!isExpected(code, summary)) console.log(`${code.name} does not answer: ${summary}`);
}
const emptyInit = medianInit(emptyTimes);
console.log(
  `${results.length} functions, median of ${runs}; an empty handler takes ${emptyInit.initMs.toFixed(0)} ms ` +
    `and ${emptyInit.initCpuMs.toFixed(0)} ms of processor time`,
);
const added = (result: InitTime) =>
  `+${(result.initMs - emptyInit.initMs).toFixed(0)} ms, +${(result.initCpuMs - emptyInit.initCpuMs).toFixed(0)} ms CPU`;
for (const kind of Object.keys(limitsMs) as MeasuredFunction["kind"][]) {
  const own = results.filter((result) => result.kind === kind).toSorted((a, b) => b.initCpuMs - a.initCpuMs);
  if (own.length === 0) continue;
  const slow = own.filter(({ initCpuMs }) => initCpuMs - emptyInit.initCpuMs > limitsMs[kind]);
  const peakMb = Math.max(...own.map((result) => result.peakMb));
  console.log(
    `${kind}: ${own.length} functions, median ${added(medianInit(own))}; ${slow.length} add more than ` +
      `${limitsMs[kind]} ms of processor time; peak ${peakMb.toFixed(0)} MB`,
  );
  for (const result of own.slice(0, 6)) {
    console.log(`  ${added(result)}, ${result.peakMb.toFixed(0)} MB: ${result.name} answers ${result.summary}`);
  }
}
const statuses = Map.groupBy(results, ({ summary }) => summary);
console.log([...statuses].map(([summary, own]) => `${summary}: ${own.length}`).join(", "));
console.log(await measureStream());
secrets.stop();
await table.stop();
