import { findMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";
import { log } from "../lib/log.ts";
import { isInRanges, isPublicAddress } from "../lib/outgoing/addresses.ts";
import { OutgoingError, readBounded, requestGuarded } from "../lib/outgoing/guarded-request.ts";
import { loadSecret } from "../lib/secrets.ts";
import { traceIdOfRun } from "../lib/tracing/trace-context.ts";
import type { Frame } from "../runs/events.ts";
import { readRunLog, readRunLogEnd } from "../runs/run-log-store.ts";
import { findRun, type StoredRun } from "../runs/run-store.ts";
import { renderTraces } from "./otlp.ts";
import { type RunTexts, toRunSpans } from "./run-spans.ts";

/** Run to export. */
export interface ExportedRun {
  readonly tenantId: string;
  readonly messageId: string;
  /** Number of attempts that failed. */
  readonly failedExports?: number;
}

const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 65_536;
/** Pauses before the next attempt, in seconds. After the last one, the spans of the run are lost. */
const pauses = [30, 120, 600, 900];
/** @see https://opentelemetry.io/docs/specs/otlp/#failures-1 */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_TEXT_CHARACTERS = 20_000;

/** Parses headers in the form of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value` pairs, separated by commas, URL-encoded. */
function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim().toLowerCase(), decodeURIComponent(value.join("=").trim())];
    }),
  );
}

/** Returns the texts of a run without secrets and personal data, which messages may contain by the policy of the tenant. */
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
    queries: frames.flatMap(({ event }) => (event.type === "search_transparency" ? [redact(event.data.query)] : [])),
  };
}

/** Sends a request. @returns the status of the response @throws OutgoingError */
async function send(body: string): Promise<number> {
  const { OTLP_ENDPOINT, OTLP_HEADERS, TOOL_PRIVATE_RANGES } = env(
    "OTLP_ENDPOINT",
    "OTLP_HEADERS",
    "TOOL_PRIVATE_RANGES",
  );
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await requestGuarded(`${OTLP_ENDPOINT.replace(/\/$/, "")}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json", ...parseHeaders(await loadSecret(OTLP_HEADERS)) },
    body,
    findRefusal: (address) =>
      isPublicAddress(address) || isInRanges(address, TOOL_PRIVATE_RANGES) ? null : "address_not_allowed",
    redirects: "none",
    signal,
  });
  await readBounded(response, MAX_RESPONSE_BYTES, signal, true);
  return response.status;
}

/** Schedules the next attempt. A collector that is down must not fill the dead-letter queue of the jobs. */
async function retryLater({ tenantId, messageId, failedExports = 0 }: ExportedRun, cause: unknown): Promise<void> {
  const seconds = pauses[failedExports];
  if (seconds === undefined) {
    log.error("trace not exported", { message_id: messageId, cause });
    return;
  }
  const message: ExportedRun = { tenantId, messageId, failedExports: failedExports + 1 };
  await sendToQueue(env("WATCH_RUN_QUEUE_URL").WATCH_RUN_QUEUE_URL, JSON.stringify(message), seconds);
}

/**
 * Exports the trace of a run that has ended to the collector in `OTLP_ENDPOINT`, from the run's log. The watchdog's job calls
 * it, so that no request waits for it.
 */
export async function exportRun(exported: ExportedRun): Promise<void> {
  const { OTLP_ENDPOINT, OTLP_CONTENT, STAGE } = env("OTLP_ENDPOINT", "OTLP_CONTENT", "STAGE");
  if (OTLP_ENDPOINT === "") return;
  const { tenantId, messageId } = exported;
  const scope = { tenantId };
  const [run, { frames }, { lastWriteAt }] = await Promise.all([
    findRun(scope, messageId),
    readRunLog(scope, messageId),
    readRunLogEnd(scope, messageId),
  ]);
  // The caller does not sample this trace, or the conversation was deleted.
  if (!run || frames.length === 0 || run.traceparent?.endsWith("00")) return;
  const texts = OTLP_CONTENT === "on" ? await readTexts(scope, run, frames) : null;
  const spans = toRunSpans({ tenantId, run, frames, endedAtMs: lastWriteAt, texts });
  try {
    const status = await send(renderTraces(traceIdOfRun(run), spans, STAGE));
    if (status >= 200 && status < 300) return;
    if (retryableStatuses.has(status)) await retryLater(exported, { status });
    else log.error("trace not exported", { message_id: messageId, cause: { status } });
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    await retryLater(exported, error);
  }
}
