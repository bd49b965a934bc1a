import { findMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { traceIdOfRun } from "../lib/tracing/trace-context.ts";
import { type Frame, isTerminal } from "../runs/events.ts";
import { readRunLog, readRunLogEnd } from "../runs/run-log-store.ts";
import { findRun, type StoredRun } from "../runs/run-store.ts";
import { renderTraces } from "./otlp.ts";
import { initialSearches, type RunTexts, toRunSpans } from "./run-spans.ts";

const MAX_TEXT_CHARACTERS = 20_000;

/**
 * Returns question, answer and search queries of a run, with secrets and personal data redacted, because messages can contain
 * these if the tenant's policy allows it.
 */
async function readTexts(scope: TenantScope, run: StoredRun, frames: readonly Frame[]): Promise<RunTexts> {
  // The formats are large, and most deployments export no content.
  const [{ findSensitiveSpans }, { redactSpans }, question] = await Promise.all([
    import("../guardrails/sensitive-data.ts"),
    import("../guardrails/spans.ts"),
    findMessage(scope, run.conversation_id, run.user_message_id),
  ]);
  const redact = (text: string) => redactSpans(text, findSensitiveSpans(text)).slice(0, MAX_TEXT_CHARACTERS);
  const deltas = frames.map(({ event }) =>
    event.type === "assistant_message" && !event.data.final ? event.data.content : "",
  );
  const asked = (question?.content ?? []).map((block) => ("text" in block ? String(block.text) : "")).join("\n");
  return {
    question: redact(asked),
    answer: redact(deltas.join("")),
    queries: initialSearches(frames).map(({ query }) => redact(query)),
  };
}

/** Reason why a run has no trace. */
type NoTrace = { readonly reason: "not sampled" | "no run" | "log expired" | "not ended" };

/**
 * Returns the trace of a run that has ended, as the request body of OTLP over HTTP. Builds it from the log of the run.
 * @param hasContent true to include the redacted question, search queries and answer
 */
export async function renderRunTrace(
  scope: TenantScope,
  messageId: string,
  { hasContent, stage }: { readonly hasContent: boolean; readonly stage: string },
): Promise<Buffer | NoTrace> {
  const [run, { frames }, { last, lastWriteAt }] = await Promise.all([
    findRun(scope, messageId),
    readRunLog(scope, messageId),
    readRunLogEnd(scope, messageId),
  ]);
  // Messages that were copied or imported have no run; neither have those of a conversation that was deleted.
  if (!run) return { reason: "no run" };
  // The caller does not sample this trace.
  if (run.traceparent?.endsWith("00")) return { reason: "not sampled" };
  if (!last) return { reason: "log expired" };
  if (!isTerminal(last.event)) return { reason: "not ended" };
  const texts = hasContent ? await readTexts(scope, run, frames) : null;
  const spans = toRunSpans({ tenantId: scope.tenantId, run, frames, endedAtMs: lastWriteAt, texts });
  return renderTraces(traceIdOfRun(run), spans, stage);
}
