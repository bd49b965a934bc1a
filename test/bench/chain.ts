/**
 * Measures the CPU time that the request chain adds to a function: the same handler bare, with `@middy/core` and its JSON body
 * parser, and as an endpoint with a trivial contract without its rate limit, which is a call of the table. The three take turns.
 * `node test/bench/chain.ts [rounds]`.
 */
import middy from "@middy/core";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import * as v from "valibot";
import { defineRoute } from "#shared/api/define-route.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { restEvent, setFunctionEnvironment } from "../support/handler-events.ts";

const rounds = Number(process.argv[2] ?? 30);
const REQUESTS_PER_ROUND = 2_000;
const WARM_UP_ROUNDS = 5;

setFunctionEnvironment();
const write = process.stdout.write.bind(process.stdout);

const contract = defineRoute({
  id: "getHealth",
  group: "open",
  method: "POST",
  path: "/echo",
  auth: "none",
  body: v.strictObject({ title: v.pipe(v.string(), v.maxLength(100)), tags: v.optional(v.array(v.string()), []) }),
  replies: { 200: v.object({ title: v.string() }) },
  summary: "Return the title",
});

type Event = ReturnType<typeof restEvent>;
type Handler = (event: Event, context: object) => Promise<unknown>;

const toResponse = (body: object) => ({
  statusCode: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const readTitle = (body: unknown) => ({ title: (body as { title: string }).title });
const unlimited = async () => ({ admitted: true, limit: 60, remaining: 60, resetAt: 0 });

const handlers: Readonly<Record<string, Handler>> = {
  "bare handler": async ({ body }) => toResponse(readTitle(JSON.parse(body))),
  "@middy/core with its JSON body parser": middy()
    .use(httpJsonBodyParser())
    .handler(async ({ body }) => toResponse(readTitle(body))) as unknown as Handler,
  "endpoint of a contract": endpoint(contract, async ({ body }) => readTitle(body), {
    consumeRateLimit: unlimited,
  }) as unknown as Handler,
};

const context = { getRemainingTimeInMillis: () => 29_000 };
const body = JSON.stringify({ title: "Holiday plans", tags: ["sea", "train"] });

/** Returns the CPU time of one request in microseconds. */
async function measureRound(handler: Handler): Promise<number> {
  const before = process.cpuUsage();
  for (let request = 0; request < REQUESTS_PER_ROUND; request++) {
    const response = (await handler(restEvent({ path: "/echo", body }), context)) as { statusCode: number };
    if (response.statusCode !== 200) throw new Error(`Unexpected response: ${JSON.stringify(response)}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS_PER_ROUND;
}

// The lines of the access log are created, but not written.
process.stdout.write = () => true;
const times = new Map(Object.keys(handlers).map((name) => [name, [] as number[]]));
for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
  for (const [name, handler] of Object.entries(handlers)) {
    const microseconds = await measureRound(handler);
    if (round >= 0) times.get(name)?.push(microseconds);
  }
}
process.stdout.write = write;

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
const bare = median(times.get("bare handler") ?? []);
console.log(`CPU time of a request in microseconds, median of ${rounds} rounds of ${REQUESTS_PER_ROUND}`);
console.log(`  ${"".padEnd(40)}  total   added`);
for (const [name, values] of times) {
  console.log(
    `  ${name.padEnd(40)} ${median(values).toFixed(1).padStart(6)}  ${(median(values) - bare).toFixed(1).padStart(6)}`,
  );
}
process.exit(0);
