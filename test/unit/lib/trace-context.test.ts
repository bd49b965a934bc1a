import * as v from "valibot";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { defineRoute } from "#shared/api/define-route.ts";
import { job } from "#shared/changes/job.ts";
import { attributeDeletions, attributeWrite } from "#shared/dynamodb/audit-attribution.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { readTraceContext } from "#shared/http/request-id.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { log } from "#shared/lib/log.ts";
import { findStoredTrace, runInTraceContext, toTraceContext } from "#shared/lib/tracing/trace-context.ts";
import { invoke, setFunctionEnvironment } from "#test/support/handler-events.ts";

const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
const lines: Record<string, unknown>[] = [];

beforeAll(() => setFunctionEnvironment({ TABLE_NAME: "none", AWS_ACCESS_KEY_ID: "" }));

beforeEach(() => {
  lines.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    if (String(text).startsWith("{")) lines.push(JSON.parse(String(text)));
    return true;
  });
});

afterEach(() => vi.restoreAllMocks());

it("trace context is the caller's if it is valid, otherwise one that is unique for the request", () => {
  expect(toTraceContext("r", traceparent)).toEqual({ request_id: "r", traceparent });
  for (const invalid of ["", `${traceparent}0`, traceparent.replace(/ab/g, "00"), "01-a-b-00", undefined, 7]) {
    expect(toTraceContext("r", invalid).traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/);
  }
  const ofRequest = (requestId: string) =>
    readTraceContext({ headers: { "X-Request-Id": "same" }, requestContext: { requestId } });
  expect(ofRequest("1").request_id).toBe("same");
  expect(ofRequest("1").traceparent).toBe(ofRequest("1").traceparent);
  expect(ofRequest("1").traceparent).not.toBe(ofRequest("2").traceparent);
});

it("trace context is part of each line of its request, also of concurrent requests of one function", async () => {
  const route = defineRoute({
    id: "waitThing",
    group: "things",
    method: "POST",
    path: "/v1/things",
    auth: "none",
    replies: { 200: v.object({}) },
    summary: "Wait",
  });
  const waiting: (() => void)[] = [];
  const handler = endpoint(
    route,
    async ({ requestId }) => {
      await new Promise<void>((resume) => waiting.push(resume));
      log.info("waited", { expected: requestId });
      return {};
    },
    { consumeRateLimit: async () => null },
  );
  const call = (id: string) =>
    invoke(handler, { path: "/v1/things", body: "{}", headers: { "X-Request-Id": id, Traceparent: traceparent } });
  const calls = ["r-1", "r-2", "r-3"].map(call);
  await expect.poll(() => waiting.length).toBe(calls.length);
  // The last request continues first.
  for (const resume of waiting.reverse()) resume();
  await Promise.all(calls);
  const waited = lines.filter(({ message }) => message === "waited");
  expect(waited.map(({ request_id }) => request_id).sort()).toEqual(["r-1", "r-2", "r-3"]);
  expect(waited.every(({ request_id, expected }) => request_id === expected)).toBe(true);
  expect(new Set(lines.map((line) => line.traceparent))).toEqual(new Set([traceparent]));
});

it("trace context is read from the attributes of a queue message, and a failed job is logged with the code of its error", async () => {
  const handler = job(async () => {
    throw new ServiceError("unavailable");
  });
  const messageAttributes = { request_id: { stringValue: "r-1" }, traceparent: { stringValue: traceparent } };
  await handler({
    Records: [
      { messageId: "1", body: "{}", messageAttributes },
      { messageId: "2", body: "{}" },
    ],
  });
  const error = { name: "ServiceError", code: "unavailable" };
  expect(lines).toMatchObject([{ message: "job failed", request_id: "r-1", traceparent, error }, { error }]);
  expect(lines[1]).not.toHaveProperty("request_id");
});

it("readTraceContext() accepts an event without a request id", () => {
  for (const event of [{ requestContext: {} }, { headers: null }]) {
    expect(readTraceContext(event).traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/);
  }
});

it("findStoredTrace() leaves out a trace that toTraceContext() derives from the request id, and keeps any other", () => {
  for (const trace of [
    toTraceContext("r-1", undefined),
    toTraceContext("r-1", undefined, "gateway"),
    { request_id: "r-1", traceparent },
  ]) {
    const stored = runInTraceContext(trace, findStoredTrace);
    expect(toTraceContext(stored?.request_id ?? "", stored?.traceparent)).toEqual(trace);
  }
  expect(runInTraceContext(toTraceContext("r-1", undefined), findStoredTrace)).toEqual({ request_id: "r-1" });
  expect(runInTraceContext(undefined, findStoredTrace)).toBeUndefined();
});

it("attributeWrite() stores the request id with messages, and removes the trace of an earlier request", () => {
  const message = keys.message("t", "c", "m");
  const ownTrace = { request_id: "r-1", traceparent };
  const derived = toTraceContext("r-2", undefined);
  expect(runInTraceContext(derived, () => attributeWrite({ put: { ...message } }, "user#u"))).toEqual({
    put: { ...message, request_id: "r-2" },
  });
  const update = { update: message, set: { text: "a" } };
  expect(runInTraceContext(derived, () => attributeWrite(update, "user#u"))).toEqual({
    update: message,
    set: { text: "a", changed_by: "user#u", request_id: "r-2" },
    remove: ["traceparent"],
  });
  expect(runInTraceContext(ownTrace, () => attributeWrite(update, "user#u"))).toEqual({
    update: message,
    set: { text: "a", changed_by: "user#u", ...ownTrace },
  });
  expect(runInTraceContext(derived, () => attributeDeletions([{ delete: message }], "user#u"))).toMatchObject([
    { update: message, set: { deleted_by: "user#u", request_id: "r-2" } },
  ]);
});
