import { Readable } from "node:stream";
import * as v from "valibot";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { defineRoute } from "#shared/api/define-route.ts";
import { LoggedBody, logAccess } from "#shared/http/access-log.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { fromRestApi } from "#shared/http/http-request.ts";
import { createRequestContext } from "#shared/http/request-context.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { runInTraceContext, toTraceContext } from "#shared/lib/tracing/trace-context.ts";
import { restEvent, setFunctionEnvironment } from "#test/support/handler-events.ts";

const route = defineRoute({
  id: "createThing",
  group: "things",
  method: "POST",
  path: "/v1/things",
  auth: "none",
  body: v.strictObject({ secret: v.string() }),
  replies: { 200: v.object({ secret: v.string() }) },
  summary: "Create a thing",
});

const lines: Record<string, unknown>[] = [];

beforeAll(() => setFunctionEnvironment({ TABLE_NAME: "none", AWS_ACCESS_KEY_ID: "" }));

/** Collects the lines that the functions write to stdout. */
function collectLines(): void {
  lines.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    if (String(text).startsWith("{")) lines.push(JSON.parse(String(text)));
    return true;
  });
}

afterEach(() => vi.restoreAllMocks());

const context = { getRemainingTimeInMillis: () => 29_000 };

it("access log has one line for a successful request, without the request's content", async () => {
  collectLines();
  const handler = endpoint(route, async ({ body }) => body) as (event: unknown, context: unknown) => Promise<unknown>;
  await handler(restEvent({ path: "/v1/things", body: '{"secret":"hunter2"}' }), context);
  const entries = lines.filter(({ message }) => message === "request");
  expect(entries).toMatchObject([
    { operation: "createThing", method: "POST", status: 200, principal: "none", tenant: null, bytes: 20 },
  ]);
  expect(entries[0]).toMatchObject({ latency_ms: expect.any(Number), request_id: expect.any(String) });
  expect(JSON.stringify(entries)).not.toContain("hunter2");
  expect(entries[0]).not.toHaveProperty("_aws");
});

it("access log contains metrics for failed and for rate-limited requests", async () => {
  for (const [code, metric] of [
    ["unavailable", "failed_requests"],
    ["rate_limited", "limiter_refusals"],
  ] as const) {
    collectLines();
    const handler = endpoint(route, () => {
      throw new ServiceError(code);
    }) as (event: unknown, context: unknown) => Promise<unknown>;
    await handler(restEvent({ path: "/v1/things", body: '{"secret":"x"}' }), context);
    const entry = lines.find(({ message }) => message === "request");
    expect(entry).toMatchObject({ operation: "createThing", [metric]: 1 });
    const aws = entry?._aws as { CloudWatchMetrics: object[] } | undefined;
    expect(aws?.CloudWatchMetrics[0]).toMatchObject({
      Namespace: "Switchboard",
      Dimensions: [["stage"], ["stage", "operation"]],
      Metrics: [{ Name: metric, Unit: "Count" }],
    });
    vi.restoreAllMocks();
  }
});

it.each([
  ["an error that the code did not expect", new TypeError("x is undefined"), 500, 1],
  ["an error of the model provider", new ServiceError("model_error"), 502, 0],
  ["an outage of a dependency", new ServiceError("unavailable"), 503, 0],
])("access log counts only unexpected errors as faults of a function: %s", async (_, error, status, faults) => {
  collectLines();
  vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "switchboard-prod-create-thing");
  const handler = endpoint(route, () => {
    throw error;
  }) as (event: unknown, context: unknown) => Promise<unknown>;
  await handler(restEvent({ path: "/v1/things", body: '{"secret":"x"}' }), context);
  expect(lines.filter(({ message }) => message === "request")).toMatchObject([{ status, failed_requests: 1 }]);
  const counted = lines.filter((line) => JSON.stringify(line).includes("code_faults"));
  expect(counted).toHaveLength(faults);
  for (const line of counted) {
    expect(line).toMatchObject({
      function: "switchboard-prod-create-thing",
      code_faults: 1,
      _aws: {
        CloudWatchMetrics: [
          { Dimensions: [["stage"], ["stage", "function"]], Metrics: [{ Name: "code_faults", Unit: "Count" }] },
        ],
      },
    });
  }
  vi.unstubAllEnvs();
});

it("access log contains the metric failed_streams for a failed request to a streaming function", () => {
  collectLines();
  const request = createRequestContext(
    { ...route, streaming: true },
    fromRestApi(restEvent({ path: "/v1/things", body: "" }) as never),
  );
  for (const statusCode of [200, 503]) logAccess(request, { statusCode, headers: {} }, { bytes: 0 });
  expect(lines.map(({ status, failed_streams }) => [status, failed_streams])).toEqual([
    [200, undefined],
    [503, 1],
  ]);
});

it("access log contains size and time to first token of a stream, also when the client disconnects", async () => {
  collectLines();
  const request = createRequestContext(route, fromRestApi(restEvent({ path: "/v1/things", body: "" }) as never));
  const chunks = [
    ": waiting\n\n",
    "id: 1\nevent: metadata\ndata: {}\n\n",
    "id: 2\nevent: assistant_message\ndata: {}\n\n",
  ];
  const response = { statusCode: 200, headers: {} };
  for await (const chunk of new LoggedBody(request, response, Readable.from(chunks))) expect(chunks).toContain(chunk);
  // A stream reads one chunk ahead.
  for await (const _ of new LoggedBody(request, response, Readable.from(chunks))) break;
  const entries = lines.filter(({ message }) => message === "request");
  expect(entries.map(({ bytes }) => bytes)).toEqual([chunks.join("").length, chunks.slice(0, 2).join("").length]);
  expect(entries[0]).toHaveProperty("first_token_ms");
  expect(entries[1]).not.toHaveProperty("first_token_ms");
});

it("access log contains the trace of the request when the client closes a stream outside of the code of the request", async () => {
  collectLines();
  const request = createRequestContext(route, fromRestApi(restEvent({ path: "/v1/things", body: "" }) as never));
  const body = runInTraceContext(
    toTraceContext("request-1", undefined),
    () => new LoggedBody(request, { statusCode: 200, headers: {} }, Readable.from(["text"])),
  );
  body.destroy();
  expect(lines.filter(({ message }) => message === "request")).toMatchObject([
    { traceparent: expect.stringMatching(/^00-/) },
  ]);
});
