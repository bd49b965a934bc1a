/**
 * Measures the streaming functions under AWS's runtime interface client with the memory and the processor share of Lambda's
 * memory sizes: the service's part of the time to the first token, the billed duration and the processor time of an answer of
 * 500 tokens in 8 s, and the peak memory after the largest requests. Calls of the table, the models and the key set use TLS.
 * `npm run bench -- memory [sizes in MB] [pattern]`, `128,160,192,256` by default. Requires Linux, root and openssl.
 */
import type { Route } from "#shared/api/define-route.ts";
import { MAX_MEDIA_BODY_BYTES } from "#shared/api/openai/openai.ts";
import { routes } from "#shared/api/routes.ts";
import { bundleFunctions } from "../../../infra/bundle/bundle.ts";
import { planFunctions } from "../../../infra/bundle/bundle-plan.ts";
import { entryPointOf, kebabCase } from "../../../infra/naming.ts";
import { synthesize } from "../../infra/synthesize.ts";
import { findFunctions } from "./deployed-functions.ts";
import { streamRequest } from "./events.ts";
import { type FunctionProcess, startFunction } from "./function-process.ts";
import { installClient } from "./install-client.ts";
import { createMemoryFixture, streamTokens } from "./memory-fixture.ts";
import type { InvocationResult } from "./runtime-api.ts";
import { createSandbox } from "./sandbox.ts";

const sizesMb = (process.argv[2] ?? "128,160,192,256").split(",").map(Number);
const pattern = new RegExp(process.argv[3] ?? "");

/** Answers to small requests after the first one. */
const WARM_REQUESTS = 5;

/** Repetitions of each of the largest requests. */
const REPETITIONS = 3;

/** Characters of the longest message of a user. */
const MAX_MESSAGE_CHARACTERS = 32_000;

/** Size limits of a JSON body and of Lambda's events, less the rest of the request. */
const [MAX_BODY_BYTES, MAX_EVENT_BYTES] = [1_048_000, 6_200_000];

const tokens = Array.from({ length: 500 }, (_, index) => `word${index % 10} `);
const answer = streamTokens(tokens, 8_000);
const shortAnswer = streamTokens(tokens.slice(0, 10));
/** More than the longest answer that is stored, in an alphabet of two bytes a character. */
const longestAnswer = streamTokens(Array.from({ length: 4_000 }, (_, index) => `Это часть ответа номер ${index}. `));

/** A request and the status of its response. */
interface BenchRequest {
  readonly event: unknown;
  readonly status: number;
}

/** Requests of a streaming function. */
interface Workload {
  readonly route: Route;
  small(): Promise<BenchRequest>;
  /** Requests that need much memory. */
  readonly large: readonly (() => Promise<BenchRequest>)[];
}

const fixture = await createMemoryFixture();
Object.assign(process.env, fixture.variables);

/** Returns a text with an alphabet of two bytes a character. */
const filler = (characters: number) => "Жизнь хороша. ".repeat(characters / 14);

/**
 * Describes the requests of a route.
 * @param toRequest creates the request with the given text of a user
 * @param large creates bodies of large requests, in addition to the longest text and to a body over the size limit
 */
function workload(
  id: string,
  toRequest: (content: string) => Promise<{ readonly body: object; readonly id?: string }>,
  headers: Readonly<Record<string, string>>,
  large: readonly (() => Promise<object>)[],
): Workload {
  const route = routes.find((each) => each.id === id);
  if (!route) throw new Error(`There is no route ${id}`);
  const send = async (content: string, status = 200) => {
    const { body, ...options } = await toRequest(content);
    return { event: streamRequest(route, JSON.stringify(body), { ...options, headers }), status };
  };
  return {
    route,
    small: () => send("Go"),
    large: [
      ...large.map((create) => async () => ({
        event: streamRequest(route, JSON.stringify(await create()), { headers }),
        status: 200,
      })),
      () => send(`${fixture.createQuestion()} ${filler(MAX_MESSAGE_CHARACTERS - 200)}`),
      () => send("x".repeat(MAX_EVENT_BYTES), 413),
    ],
  };
}

const { model } = fixture;
const apiHeaders = { authorization: `Bearer ${fixture.apiKey}` };
const chatHeaders = { authorization: `Bearer ${fixture.token}` };
const siteHeaders = { "x-embed-key": fixture.site.key, origin: fixture.site.origin };
const conversations = [await fixture.createLongConversation(), await fixture.createLongConversation()];
const session = await fixture.createSession();
const message = { role: "user", content: "Где мой заказ? ".repeat(4) };
const manyMessages = Array<object>(Math.floor(MAX_BODY_BYTES / (Buffer.byteLength(JSON.stringify(message)) + 1))).fill(
  message,
);
/** Photo that nearly fills a body of a request with media. */
const photo = `data:image/jpeg;base64,${"iVBORw0K".repeat((MAX_MEDIA_BODY_BYTES - 2_000) / 8)}`;
const longText = filler(MAX_BODY_BYTES / 2);

const workloads = [
  workload(
    "startChat",
    async (content) => ({ body: { conversation_id: conversations[0], content, tier: "QUICK" } }),
    chatHeaders,
    ["RESEARCH", "THINKING"].map((tier) => async () => ({
      conversation_id: conversations[1],
      content: `${fixture.createQuestion()} ${filler(MAX_MESSAGE_CHARACTERS - 200)}`,
      tier,
    })),
  ),
  workload("sendEmbedMessage", async (content) => ({ id: session, body: { content } }), siteHeaders, []),
  workload(
    "createChatCompletion",
    async (content) => ({ body: { model, stream: true, messages: [{ role: "user", content }] } }),
    apiHeaders,
    [
      async () => ({ model, stream: true, messages: manyMessages }),
      async () => ({ model, stream: true, messages: [{ role: "user", content: longText }] }),
      async () => ({ model, messages: [{ role: "user", content: longText }] }),
      async () => {
        const content = [{ type: "image_url", image_url: { url: photo } }];
        return { model, stream: true, messages: [{ role: "user", content }] };
      },
    ],
  ),
  workload("createResponse", async (input) => ({ body: { model, stream: true, input } }), apiHeaders, [
    async () => ({ model, stream: true, input: manyMessages }),
    async () => ({ model, stream: true, input: longText, store: false }),
    async () => {
      const content = [{ type: "input_image", image_url: photo }];
      return { model, stream: true, input: [{ role: "user", content }] };
    },
  ]),
  workload("createCompletion", async (prompt) => ({ body: { model, stream: true, prompt } }), apiHeaders, [
    async () => ({ model, stream: true, prompt: longText }),
  ]),
].filter(({ route }) => pattern.test(kebabCase(route.id)));

const textOf = ({ chunks }: InvocationResult) => chunks.map(({ text }) => text).join("");

/**
 * Sends a request and returns the response.
 * @throws Error if the function fails, the response has another status, or the answer is an error
 */
async function send(running: FunctionProcess, { event, status }: BenchRequest): Promise<InvocationResult> {
  const result = await running.invoke(event);
  const received = textOf(result);
  const isFailed = result.kind === "error" || (status === 200 && /^(event: error|data: \{"error")/m.test(received));
  if (isFailed || !received.includes(`"statusCode":${status}`)) {
    throw new Error(`Expected ${status}: ${received.slice(-600)}`);
  }
  return result;
}

const firstTokenMs = ({ chunks }: InvocationResult) => chunks.find(({ text }) => text.includes("word"))?.atMs ?? 0;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const bundle = await bundleFunctions(planFunctions(process.cwd(), "minified"));
const templates = synthesize({ stage: "prod", bundle, hasOwnSettings: true });
const findFunction = findFunctions(bundle, templates, { ...fixture.variables, RATE_LIMIT_TENANT: "1000000" });
const client = installClient();

async function measure({ route, small, large }: Workload, memoryMb: number): Promise<string> {
  const { environment, ...code } = findFunction(kebabCase(route.id), entryPointOf(route));
  const sandbox = createSandbox(memoryMb);
  const { AWS_ENDPOINT_URL = "", NODE_EXTRA_CA_CERTS = "" } = fixture.variables;
  const variables = { ...environment, AWS_ENDPOINT_URL, NODE_EXTRA_CA_CERTS };
  const running = await startFunction(client, { ...code, environment: variables }, { memoryMb, sandbox });
  const figures = [`init ${running.initMs.toFixed(0)} ms`];
  try {
    fixture.upstream.script = shortAnswer;
    const cold = await send(running, await small());
    const warm: number[] = [];
    for (let count = 0; count < WARM_REQUESTS; count++) warm.push(firstTokenMs(await send(running, await small())));
    figures.push(`first token ${firstTokenMs(cold).toFixed(0)} ms cold, ${median(warm).toFixed(0)} ms warm`);
    fixture.upstream.script = answer;
    const cpuBefore = running.getCpuMs();
    const { billedMs } = await send(running, await small());
    figures.push(`answer ${billedMs.toFixed(0)} ms, ${(running.getCpuMs() - cpuBefore).toFixed(0)} ms CPU`);
    figures.push(`peak ${running.getPeakMb().toFixed(0)} MB`);
    fixture.upstream.script = longestAnswer;
    for (const create of large) {
      let longestMs = 0;
      for (let count = 0; count < REPETITIONS; count++) {
        longestMs = Math.max(longestMs, (await send(running, await create())).billedMs);
      }
      figures.push(`${running.getPeakMb().toFixed(0)} MB in ${longestMs.toFixed(0)} ms`);
    }
    figures.push(`with page cache ${sandbox.getPeakMb().toFixed(0)} MB`);
  } catch (error) {
    figures.push((error as Error).message);
  }
  await running.stop();
  sandbox.remove();
  return figures.join("; ");
}

for (const work of workloads) {
  for (const memoryMb of sizesMb) console.log(`${work.route.id}, ${memoryMb} MB: ${await measure(work, memoryMb)}`);
}
await fixture.stop();
process.exit(0);
