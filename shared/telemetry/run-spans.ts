import { sha256Bytes } from "../lib/hash.ts";
import { isDerivedTrace } from "../lib/tracing/trace-context.ts";
import { findModel } from "../models/model-table.ts";
import type { Frame, OperationTiming, RunEvent, RunPayloads } from "../runs/events.ts";
import type { StoredRun } from "../runs/run-store.ts";
import type { SpanAttributes, TraceSpan } from "./otlp.ts";
import { providerNames } from "./span-names.ts";

/** Redacted texts of a run, for deployments that export content. */
export interface RunTexts {
  readonly question: string;
  readonly answer: string;
  readonly queries: readonly string[];
}

/** Run that has ended, with the events in its log. */
export interface EndedRun {
  readonly tenantId: string;
  readonly run: StoredRun;
  readonly frames: readonly Frame[];
  /** Epoch milliseconds. */
  readonly endedAtMs: number;
  /** Texts to include in the spans, or null to export no content. */
  readonly texts: RunTexts | null;
}

type DataOf<Type extends RunEvent["type"]> = RunPayloads[Type];

const allOf = <Type extends RunEvent["type"]>(frames: readonly Frame[], type: Type) =>
  frames.flatMap(({ event }) => (event.type === type ? [event.data as DataOf<Type>] : []));

/** Returns a span id that depends only on its arguments, so that a repeated export sends the same spans. */
const spanIdOf = (...parts: readonly (string | number)[]) => sha256Bytes(parts.join("#")).toString("hex").slice(0, 16);

const providerOf = (model: string) => providerNames[findModel(model)?.provider.type ?? "openai-compatible"];

const toMessage = (role: string, content: string, fields: object = {}) =>
  JSON.stringify([{ role, parts: [{ type: "text", content }], ...fields }]);

/**
 * Returns the error code of a failed run, or `provider` or `shutdown` for one that was interrupted by these; undefined if it
 * did not fail.
 */
function findErrorType(frames: readonly Frame[]): string | undefined {
  const [error] = allOf(frames, "error");
  if (error) return error.code;
  const reason = allOf(frames, "interrupted")[0]?.reason;
  return reason === "provider" || reason === "shutdown" ? reason : undefined;
}

/**
 * Returns the model calls and tool calls of a run. For a run without tools, whose log has no list of them, returns the
 * generation phase as one model call.
 */
function operationsOf(frames: readonly Frame[], { model }: StoredRun): OperationTiming[] {
  const [trace] = allOf(frames, "execution_trace");
  if (trace?.operations) return trace.operations;
  const phase = trace?.phases.find(({ phase }) => phase === "generation");
  const [usage] = allOf(frames, "swtoken_update");
  if (!phase || !usage) return [];
  const { started_at, duration_ms } = phase;
  const first = trace?.time_to_first_token_ms;
  const generationStart = Date.parse(started_at) - Date.parse(trace?.phases[0]?.started_at ?? started_at);
  return [
    {
      operation: "chat",
      name: usage.model ?? model,
      started_at,
      duration_ms,
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      ...(usage.cached_tokens !== undefined && { cached_tokens: usage.cached_tokens }),
      ...(typeof first === "number" && { first_chunk_ms: Math.max(0, first - generationStart) }),
    },
  ];
}

function toOperationSpan(
  timing: OperationTiming,
  index: number,
  rootId: string,
  { conversation_id }: StoredRun,
): TraceSpan {
  const { operation, name, started_at, duration_ms, first_chunk_ms, error } = timing;
  const startMs = Date.parse(started_at);
  const attributes: SpanAttributes =
    operation === "chat"
      ? {
          provider: providerOf(name),
          conversationId: conversation_id,
          requestModel: name,
          responseModel: name,
          isStreamed: true,
          inputTokens: timing.input_tokens,
          outputTokens: timing.output_tokens,
          cachedTokens: timing.cached_tokens,
          firstChunk: first_chunk_ms === undefined ? undefined : first_chunk_ms / 1_000,
        }
      : { toolName: name, toolCallId: timing.call_id, toolType: "function" };
  return {
    spanId: spanIdOf(rootId, operation, index),
    parentSpanId: rootId,
    name: `${operation} ${name}`,
    kind: operation === "chat" ? "client" : "internal",
    startMs,
    endMs: startMs + duration_ms,
    attributes: { operation, ...attributes, errorType: error },
    isFailed: error !== undefined,
  };
}

/** Returns the searches of the retrieval phase, without later ones by tools. */
export function initialSearches(frames: readonly Frame[]): DataOf<"search_transparency">[] {
  const end = frames.findIndex(({ event }) => event.type === "phase_latency" && event.data.phase === "retrieval");
  return allOf(frames.slice(0, Math.max(0, end)), "search_transparency");
}

/** Returns one span for all searches of the retrieval phase, or none if nothing was searched. */
function retrievalSpans(frames: readonly Frame[], rootId: string, texts: RunTexts | null): TraceSpan[] {
  const searches = initialSearches(frames);
  const phase = allOf(frames, "execution_trace")[0]?.phases.find(({ phase }) => phase === "retrieval");
  if (searches.length === 0 || !phase) return [];
  const startMs = Date.parse(phase.started_at);
  return [
    {
      spanId: spanIdOf(rootId, "retrieval"),
      parentSpanId: rootId,
      name: "retrieval",
      kind: "client",
      startMs,
      endMs: startMs + phase.duration_ms,
      attributes: {
        operation: "retrieval",
        documentCount: searches.reduce((sum, { sources }) => sum + sources.length, 0),
        query: texts?.queries.join("\n"),
      },
    },
  ];
}

/** Returns the spans of a run: the root span `invoke_agent`, and its model calls, tool calls and search. */
export function toRunSpans({ tenantId, run, frames, endedAtMs, texts }: EndedRun): TraceSpan[] {
  const { message_id, traceparent } = run;
  const callerSpanId = traceparent?.split("-")[2];
  // A derived parent is a span that nothing exports, so the run takes its place.
  const isRoot = traceparent === undefined || isDerivedTrace(traceparent);
  const rootId = spanIdOf(message_id);
  const [trace] = allOf(frames, "execution_trace");
  const [usage] = allOf(frames, "swtoken_update");
  const errorType = findErrorType(frames);
  const endReason = allOf(frames, "interrupted")[0]?.reason;
  const finish_reason = endReason === "length" ? "length" : endReason || errorType ? "error" : "stop";
  const approvals = allOf(frames, "preflight_warning").flatMap(({ approval_id }) => approval_id ?? []);
  const operations = operationsOf(frames, run);
  const model = usage?.model ?? run.model;
  const startMs = Date.parse(trace?.phases[0]?.started_at ?? run.created_at);
  const root: TraceSpan = {
    spanId: rootId,
    ...(!isRoot && callerSpanId !== undefined && { parentSpanId: callerSpanId }),
    name: "invoke_agent",
    kind: "internal",
    startMs,
    endMs: trace ? startMs + trace.total_ms : endedAtMs,
    attributes: {
      operation: "invoke_agent",
      provider: providerOf(model),
      agentId: run.persona_id,
      agentVersion: run.persona_version?.toString(),
      conversationId: run.conversation_id,
      requestModel: run.model,
      responseModel: model,
      responseId: message_id,
      inputTokens: usage?.input_tokens,
      outputTokens: usage?.output_tokens,
      cachedTokens: usage?.cached_tokens,
      costUsd: usage?.cost_usd,
      tenantId,
      requestId: run.request_id,
      tier: run.tier,
      approvalIds: approvals.length > 0 ? [...new Set(approvals)] : undefined,
      endReason,
      errorType,
      inputMessages: texts && toMessage("user", texts.question),
      outputMessages: texts && toMessage("assistant", texts.answer, { finish_reason }),
    },
    isFailed: errorType !== undefined,
  };
  return [
    root,
    ...retrievalSpans(frames, rootId, texts),
    ...operations.map((timing, index) => toOperationSpan(timing, index, rootId, run)),
  ];
}
