import { MAX_DELAY_SECONDS, sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";
import { log } from "../lib/log.ts";
import { isInRanges, isPublicAddress } from "../lib/outgoing/addresses.ts";
import { OutgoingError, readBounded, requestGuarded } from "../lib/outgoing/guarded-request.ts";
import { parseHeaders } from "../lib/outgoing/parse-headers.ts";
import { parseRetryAfter } from "../lib/outgoing/retry-after.ts";
import { loadSecret } from "../lib/secrets.ts";
import { readRunControl } from "../runs/run-control-store.ts";
import { countRejectedSpans, OTLP_CONTENT_TYPE, retryableStatuses, toTracesUrl } from "./otlp.ts";
import { renderRunTrace } from "./render-run-trace.ts";

export interface ExportedRun {
  readonly tenantId: string;
  readonly messageId: string;
  /** Id of the approval or hand-over with which the run was resumed before it ended; undefined if it was never resumed. */
  readonly resumedBy?: string;
  /** Number of previous attempts to export, all of which failed. */
  readonly failedExports?: number;
}

const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 65_536;
/** Delays before the next attempts, in seconds. After the last attempt, the trace of the run is lost. */
const pauses = [30, 120, 600, 900];

/**
 * Sends spans to the collector.
 * @throws OutgoingError
 */
async function send(body: Buffer) {
  const { OTLP_ENDPOINT, OTLP_HEADERS, TOOL_PRIVATE_RANGES } = env(
    "OTLP_ENDPOINT",
    "OTLP_HEADERS",
    "TOOL_PRIVATE_RANGES",
  );
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await requestGuarded(toTracesUrl(OTLP_ENDPOINT), {
    method: "POST",
    headers: { ...parseHeaders(await loadSecret(OTLP_HEADERS)), "content-type": OTLP_CONTENT_TYPE },
    body,
    findRefusal: (address) =>
      isPublicAddress(address) || isInRanges(address, TOOL_PRIVATE_RANGES) ? null : "address_not_allowed",
    redirects: "none",
    allowsCompressed: true,
    signal,
  });
  const { status, headers } = response;
  const content = await readBounded(response, MAX_RESPONSE_BYTES, signal, true);
  return { status, retryAfterSeconds: parseRetryAfter(headers["retry-after"]), content };
}

/**
 * Returns the printable characters of a response for the log, at most 300. The response is Protobuf, whose texts are readable
 * between its other bytes.
 */
const toText = (content: Buffer): string =>
  content
    .toString("utf8")
    .replaceAll(/[^ -~]+/g, " ")
    .trim()
    .slice(0, 300);

/**
 * Enqueues the next attempt with a delay. Does not fail the job, because an unavailable collector would otherwise fill the
 * dead-letter queue.
 */
async function retryLater(exported: ExportedRun, cause: unknown, retryAfterSeconds = 0): Promise<void> {
  const { messageId, failedExports = 0 } = exported;
  const pause = pauses[failedExports];
  if (pause === undefined) {
    log.error("trace not exported", { message_id: messageId, cause });
    return;
  }
  const message: ExportedRun = { ...exported, failedExports: failedExports + 1 };
  // Runs that ended at the same time come back at different times.
  const seconds = Math.min(Math.ceil(Math.max(pause, retryAfterSeconds) * (1 + Math.random() / 5)), MAX_DELAY_SECONDS);
  await sendToQueue(env("WATCH_RUN_QUEUE_URL").WATCH_RUN_QUEUE_URL, JSON.stringify(message), seconds);
}

/**
 * Exports the trace of a run that has ended to the collector in `OTLP_ENDPOINT`. Builds it from the log of the run. Runs in
 * the job of the run watchdog, so that no request waits for it.
 */
export async function exportRun(exported: ExportedRun): Promise<void> {
  const { OTLP_ENDPOINT, OTLP_CONTENT, STAGE } = env("OTLP_ENDPOINT", "OTLP_CONTENT", "STAGE");
  if (OTLP_ENDPOINT === "") return;
  const { tenantId, messageId, resumedBy } = exported;
  // Every resumption has checks of its own, and some collectors count the same spans twice.
  if ((await readRunControl({ tenantId }, messageId)).resumed_by !== resumedBy) return;
  const trace = await renderRunTrace({ tenantId }, messageId, { hasContent: OTLP_CONTENT === "on", stage: STAGE });
  if (!Buffer.isBuffer(trace)) return;
  const giveUp = (cause: object, content: Buffer) => {
    // With content in the spans, a collector that quotes them would bring it into the log.
    const response = OTLP_CONTENT === "on" ? undefined : toText(content);
    log.error("trace not exported", { message_id: messageId, cause: { ...cause, response } });
  };
  try {
    const { status, retryAfterSeconds, content } = await send(trace);
    if (retryableStatuses.has(status)) return await retryLater(exported, { status }, retryAfterSeconds);
    if (status < 200 || status >= 300) return giveUp({ status }, content);
    const rejected_spans = countRejectedSpans(content);
    if (rejected_spans > 0) giveUp({ status, rejected_spans }, content);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    await retryLater(exported, error);
  }
}
