import type { Quantities } from "../../../infra/cost/compute-cost.ts";
import { initDuration } from "../../../infra/cost/init.ts";

/** Bytes that CloudWatch Logs adds to each event. */
const LOG_EVENT_BYTES = 26;

/** Size of the lines `platform.start` and `platform.report` that Lambda writes for an invocation, unless only warnings are logged. */
const PLATFORM_LOG_BYTES = 520 + 2 * LOG_EVENT_BYTES;

/** Size of a line of API Gateway's access log. */
const GATEWAY_LOG_BYTES = 420 + LOG_EVENT_BYTES;

/** Requests to SQS for each message: it is sent, received and deleted. */
const REQUESTS_PER_MESSAGE = 3;

/** A deployed function, as far as its cost depends on it. */
export interface DeployedFunction {
  readonly memoryMb: number;
  /** True if Lambda logs a report of each invocation, not only of those that fail. */
  readonly isReported: boolean;
  readonly kind: "rest" | "streaming" | "authorizer" | "job" | "processor";
}

/** Recorded work of an instance. */
export interface Recording {
  /** Output of an instance with `LOCAL_LOG=1`. */
  readonly output: readonly string[];
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Parses a line with the duration of an invocation, or a line that a function wrote to its log. */
function parseLine(line: string) {
  const [, name = "", text = ""] = /^switchboard-[a-z]+[-_]([\w-]+): (.*)$/s.exec(line) ?? [];
  const duration = /^[\da-f-]{36} took ([\d.]+) ms$/.exec(text)?.[1];
  return { name, text, durationMs: duration === undefined ? null : Number(duration) };
}

/**
 * Returns the billed quantities of a recording. Authorizers of users are left out, because API Gateway caches their result
 * for five minutes. Requests are those of REST and streaming functions.
 * @param functions by name without the prefix of the stage
 */
export function recordedUsage(
  { output, readUnits, writeUnits }: Recording,
  functions: ReadonlyMap<string, DeployedFunction>,
): Quantities {
  const usage = {
    tableRead: readUnits,
    tableWrite: writeUnits,
    invocation: 0,
    duration: 0,
    gatewayRequest: 0,
    edgeRequest: 0,
    edgeFunction: 0,
    transfer: 0,
    log: 0,
    queueRequest: 0,
  };
  for (const line of output) {
    const { name, text, durationMs } = parseLine(line);
    const deployed = functions.get(name);
    if (!deployed || name === "authorizer-jwt") continue;
    if (durationMs === null) {
      if (!text.startsWith("{")) continue;
      usage.log += Buffer.byteLength(text) + LOG_EVENT_BYTES;
      const { message, bytes } = JSON.parse(text) as { message?: string; bytes?: number };
      if (message === "request") usage.transfer += bytes ?? 0;
      continue;
    }
    usage.invocation++;
    // Lambda rounds up to a millisecond.
    usage.duration += (Math.ceil(durationMs) / 1_000) * (deployed.memoryMb / 1_024) + initDuration(deployed.memoryMb);
    if (deployed.isReported) usage.log += PLATFORM_LOG_BYTES;
    if (deployed.kind === "job") usage.queueRequest += REQUESTS_PER_MESSAGE;
    if (deployed.kind !== "rest" && deployed.kind !== "streaming") continue;
    usage.edgeRequest++;
    usage.edgeFunction++;
    if (deployed.kind === "rest") {
      usage.gatewayRequest++;
      usage.log += GATEWAY_LOG_BYTES;
    }
  }
  return usage;
}
