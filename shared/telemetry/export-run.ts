import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";
import { log } from "../lib/log.ts";
import { isInRanges, isPublicAddress } from "../lib/outgoing/addresses.ts";
import { OutgoingError, readBounded, requestGuarded } from "../lib/outgoing/guarded-request.ts";
import { parseHeaders } from "../lib/outgoing/parse-headers.ts";
import { loadSecret } from "../lib/secrets.ts";
import { retryableStatuses, toTracesUrl } from "./otlp.ts";
import { renderRunTrace } from "./render-run-trace.ts";

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

/** Sends a request. @returns the status of the response @throws OutgoingError */
async function send(body: string): Promise<number> {
  const { OTLP_ENDPOINT, OTLP_HEADERS, TOOL_PRIVATE_RANGES } = env(
    "OTLP_ENDPOINT",
    "OTLP_HEADERS",
    "TOOL_PRIVATE_RANGES",
  );
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await requestGuarded(toTracesUrl(OTLP_ENDPOINT), {
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
  const trace = await renderRunTrace({ tenantId }, messageId, { hasContent: OTLP_CONTENT === "on", stage: STAGE });
  if (typeof trace !== "string") return;
  try {
    const status = await send(trace);
    if (status >= 200 && status < 300) return;
    if (retryableStatuses.has(status)) await retryLater(exported, { status });
    else log.error("trace not exported", { message_id: messageId, cause: { status } });
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    await retryLater(exported, error);
  }
}
