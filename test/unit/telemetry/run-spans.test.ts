import { beforeAll, expect, it } from "vitest";
import { toTraceContext, traceIdOfRun } from "#shared/lib/tracing/trace-context.ts";
import type { Frame, RunEvent } from "#shared/runs/events.ts";
import type { StoredRun } from "#shared/runs/run-store.ts";
import { renderTraces } from "#shared/telemetry/otlp.ts";
import { type EndedRun, toRunSpans } from "#shared/telemetry/run-spans.ts";
import { attributeNames } from "#shared/telemetry/span-names.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";

const at = (seconds: number) => new Date(1_764_000_000_000 + seconds * 1_000).toISOString();
const caller = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;

const run: StoredRun = {
  message_id: "019ab000-0000-7000-8000-000000000001",
  conversation_id: "c",
  user_message_id: "q",
  user_id: "ada",
  request_id: "r-1",
  traceparent: caller,
  parent_id: null,
  persona_id: "p-1",
  persona_version: 12,
  tier: "RESEARCH",
  model: "gpt-4o",
  created_at: at(0),
};

const toFrames = (events: readonly RunEvent[]): Frame[] => events.map((event, index) => ({ seq: index + 1, event }));

const usage = { input_tokens: 300, output_tokens: 40, total_tokens: 340, cached_tokens: 100, cost_usd: 0.01 };
const source = {
  source_id: "s",
  source_type: "chunk",
  title: "T",
  collection_id: null,
  uri: null,
  score: 1,
  snippet: "",
};
const phase = (name: string, start: number, seconds: number) => ({
  phase: name,
  started_at: at(start),
  duration_ms: seconds * 1_000,
});
const phases = [phase("preflight", 0, 1), phase("retrieval", 1, 1), phase("generation", 2, 6)];

const search = (query: string) => ({ query, sources: [source, source] }) as never;

/** Answer that searched, called a tool after an approval, and called the model twice. */
const answered = toFrames([
  { type: "search_transparency", data: search("refund of ada@example.com") },
  { type: "phase_latency", data: { phase: "retrieval", duration_ms: 1_000 } },
  { type: "search_transparency", data: search("search of a tool") },
  { type: "preflight_warning", data: { code: "approval_required", message: "", approval_id: "a-1" } },
  { type: "assistant_message", data: { message_id: "m", content: "Yes.", final: false } },
  { type: "swtoken_update", data: { ...usage, model: "gpt-4o" } },
  {
    type: "execution_trace",
    data: {
      phases,
      operations: [
        {
          operation: "chat",
          name: "gpt-4o",
          started_at: at(2),
          duration_ms: 2_000,
          input_tokens: 100,
          output_tokens: 9,
        },
        {
          operation: "execute_tool",
          name: "send",
          call_id: "t-1",
          started_at: at(4),
          duration_ms: 500,
          error: "failed",
        },
        { operation: "chat", name: "gpt-4o", started_at: at(5), duration_ms: 3_000, first_chunk_ms: 250 },
      ],
      total_ms: 8_000,
      time_to_first_token_ms: 2_250,
    },
  },
  { type: "done", data: { message_id: "m", block_count: 1 } },
]);

const ended = (changes: Partial<EndedRun> = {}): EndedRun => ({
  tenantId: "acme",
  run,
  frames: answered,
  endedAtMs: Date.parse(at(9)),
  texts: null,
  ...changes,
});

beforeAll(() => setFunctionEnvironment({ MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: "http://m.example" }));

it("trace of a run connects search, tool calls and model calls to the span of the caller", () => {
  const spans = toRunSpans(ended());
  const [root] = spans;
  expect(spans.map(({ name }) => name)).toEqual([
    "invoke_agent",
    "retrieval",
    "chat gpt-4o",
    "execute_tool send",
    "chat gpt-4o",
  ]);
  expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual(["cd".repeat(8), ...Array(4).fill(root?.spanId)]);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(5);
  expect(spans.map(({ startMs, endMs }) => [startMs, endMs].map((ms) => (ms - Date.parse(at(0))) / 1_000))).toEqual([
    [0, 8],
    [1, 2],
    [2, 4],
    [4, 4.5],
    [5, 8],
  ]);
  expect(root?.attributes).toMatchObject({
    inputTokens: 300,
    cachedTokens: 100,
    approvalIds: ["a-1"],
    tenantId: "acme",
    agentId: "p-1",
    agentVersion: "12",
  });
  expect(spans[1]).toMatchObject({ kind: "client", attributes: { operation: "retrieval", documentCount: 2 } });
  expect(spans[3]).toMatchObject({ isFailed: true, attributes: { toolName: "send", toolCallId: "t-1" } });
  expect(spans[4]?.attributes).toMatchObject({ firstChunk: 0.25, provider: "openai", conversationId: "c" });
  expect(toRunSpans(ended())).toEqual(spans);
});

it("trace of a run has its own root if the caller sent no trace context", () => {
  const { traceparent } = toTraceContext("r-1", undefined);
  const [root] = toRunSpans(ended({ run: { ...run, traceparent } }));
  expect(root?.parentSpanId).toBeUndefined();
  expect(traceIdOfRun({ ...run, traceparent })).toBe(traceparent.slice(3, 35));
  expect(traceIdOfRun({ message_id: run.message_id })).toBe("019ab000000070008000000000000001");
});

it("trace of a run has one model call with the times of the generation if the run called no tool", () => {
  const frames = answered.map(({ seq, event }) =>
    event.type === "execution_trace"
      ? { seq, event: { ...event, data: { ...event.data, operations: undefined as never } } }
      : { seq, event },
  );
  const [, , chat, ...others] = toRunSpans(ended({ frames }));
  expect(others).toEqual([]);
  expect(chat).toMatchObject({
    name: "chat gpt-4o",
    attributes: { inputTokens: 300, outputTokens: 40, cachedTokens: 100, firstChunk: 0.25 },
  });
});

it("trace of a run names the failure of a run that ended with an error or died", () => {
  const error = { code: "model_overloaded", message: "", status: 503, request_id: "r-1", message_id: "m" };
  const failed = toRunSpans(ended({ frames: toFrames([{ type: "error", data: error }]) }));
  expect(failed).toMatchObject([{ isFailed: true, attributes: { errorType: "model_overloaded" } }]);
  expect(failed[0]?.endMs).toBe(Date.parse(at(9)));
  const interrupted = (reason: "shutdown" | "stopped"): RunEvent => ({
    type: "interrupted",
    data: { message_id: "m", reason, saved_characters: 0 },
  });
  expect(toRunSpans(ended({ frames: toFrames([interrupted("shutdown")]) }))[0]?.isFailed).toBe(true);
  expect(toRunSpans(ended({ frames: toFrames([interrupted("stopped")]) }))[0]?.isFailed).toBe(false);
});

it("trace of a run contains question, answer and search queries only if the caller passes these texts", () => {
  const sent = (changes?: Partial<EndedRun>) =>
    renderTraces(traceIdOfRun(run), toRunSpans(ended(changes)), "prod").toString("latin1");
  for (const name of ["query", "inputMessages", "outputMessages"] as const) {
    expect(sent()).not.toContain(attributeNames[name]);
  }
  expect(sent()).not.toContain("ada@example.com");
  const texts = { question: "May I?", answer: "Yes.", queries: ["refund"] };
  for (const text of ["May I?", "Yes.", "refund"]) expect(sent({ texts })).toContain(text);
});

it("trace of a run states why its answer ended", () => {
  const texts = { question: "", answer: "Yes", queries: [] };
  const reasonOf = (frames: readonly Frame[]) => {
    const [root] = toRunSpans(ended({ frames, texts }));
    return JSON.parse(String(root?.attributes.outputMessages))[0].finish_reason;
  };
  const interrupted = (reason: "length" | "stopped") =>
    toFrames([{ type: "interrupted", data: { message_id: "m", reason, saved_characters: 3 } }]);
  expect([answered, interrupted("length"), interrupted("stopped")].map(reasonOf)).toEqual(["stop", "length", "error"]);
});

it("trace of a run is rendered as the bytes of an ExportTraceServiceRequest", () => {
  const span = {
    spanId: "cd".repeat(8),
    parentSpanId: "ef".repeat(8),
    name: "chat zwölf",
    kind: "client",
    startMs: 1_764_000_000_123,
    endMs: 1_764_000_008_000,
    attributes: {
      inputTokens: 300,
      outputTokens: 0,
      cachedTokens: undefined,
      costUsd: 1,
      isStreamed: true,
      approvalIds: ["a-1", "a-2"],
    },
    isFailed: true,
  } as const;
  // As the messages of the Python package opentelemetry-proto 1.45.2 serialize it.
  const expected =
    "Ct8CCkYKHQoMc2VydmljZS5uYW1lEg0KC3N3aXRjaGJvYXJkCiUKG2RlcGxveW1lbnQuZW52aXJvbm1lbnQubmFtZRIGCgRwcm9kEpQCChIKEH" +
    "N3aXRjaGJvYXJkLnJ1bnMS/QEKEKurq6urq6urq6urq6urq6sSCM3Nzc3Nzc3NIgjv7+/v7+/v7yoLY2hhdCB6d8O2bGYwAznA1B5vp/x6GEEA" +
    "UKBEqfx6GEogChlnZW5fYWkudXNhZ2UuaW5wdXRfdG9rZW5zEgMYrAJKIAoaZ2VuX2FpLnVzYWdlLm91dHB1dF90b2tlbnMSAhgASiEKFHN3aX" +
    "RjaGJvYXJkLmNvc3RfdXNkEgkhAAAAAAAA8D9KGwoVZ2VuX2FpLnJlcXVlc3Quc3RyZWFtEgIQAUosChhzd2l0Y2hib2FyZC5hcHByb3ZhbC5p" +
    "ZHMSECoOCgUKA2EtMQoFCgNhLTJ6AhgC";
  expect(renderTraces("ab".repeat(16), [span], "prod").toString("base64")).toBe(expected);
});
