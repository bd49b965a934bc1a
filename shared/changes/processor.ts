import { fromDynamodb } from "aws-lambda-stream/from/dynamodb";
import { initialize } from "aws-lambda-stream/pipelines";
import { toPromise } from "aws-lambda-stream/utils/handler";
import highland from "highland";
import { isRetryableError } from "../dynamodb/is-retryable-error.ts";
import { now } from "../lib/clock.ts";
import { recordMetrics } from "../lib/metrics.ts";
import { runInTraceContext, toTraceContext } from "../lib/tracing/trace-context.ts";
import { isCopy } from "./copied-items.ts";
import { withDecodedImages } from "./decoded-images.ts";
import { publishFaults } from "./faults.ts";

/** Change of one item of the table. */
export interface Change {
  /** Id of the stream record; stable across redeliveries. */
  readonly id: string;
  /** `<discriminator>-created`, `-updated` or `-deleted`; setting the `deleted` attribute counts as deletion. */
  readonly type: string;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly before: Record<string, unknown> | undefined;
  readonly after: Record<string, unknown> | undefined;
}

/** Handler of some types of changes. It must be idempotent, because changes are delivered at least once. */
export interface ChangeRule {
  readonly id: string;
  readonly on: readonly string[];
  /** Maximum number of changes that the rule processes concurrently. */
  readonly concurrency?: number;
  apply(change: Change): Promise<void>;
}

const DEFAULT_CONCURRENCY = 8;

/**
 * Returns a handler for an error of a rule. It throws a retryable error unchanged, which makes Lambda redeliver the batch. To
 * any other error it attaches the unit of work, so that aws-lambda-stream publishes a fault and continues with the next
 * change.
 */
function rethrowAsFault(unit: StreamUnitOfWork) {
  return (error: unknown): never => {
    throw isRetryableError(error)
      ? error
      : Object.assign(error instanceof Error ? error : new Error(String(error)), { uow: unit });
  };
}

const toChange = ({ event: { id, type, timestamp, raw } }: StreamUnitOfWork): Change => ({
  id,
  type,
  timestamp,
  before: raw.old,
  after: raw.new,
});

/** Applies a rule in the trace context that the changed item stores, which is that of the request that made the change. */
function applyInTrace(rule: ChangeRule, change: Change): Promise<void> {
  const { request_id, traceparent } = change.after ?? {};
  const trace = typeof request_id === "string" ? toTraceContext(request_id, traceparent) : undefined;
  return runInTraceContext(trace, () => rule.apply(change));
}

const createPipeline = (rule: ChangeRule) => () => (stream: HighlandStream<StreamUnitOfWork>) =>
  stream
    .filter(({ event: { type, raw } }) => rule.on.includes(type) && !isCopy(raw.old, raw.new))
    .map((unit) => highland(applyInTrace(rule, toChange(unit)).catch(rethrowAsFault(unit))))
    .parallel(rule.concurrency ?? DEFAULT_CONCURRENCY);

/** Records the age of the oldest change in a batch as a metric. */
function reportLag(event: unknown): void {
  const { Records = [] } = event as { Records?: { dynamodb?: { ApproximateCreationDateTime?: number } }[] };
  const oldestSeconds = Math.min(...Records.map(({ dynamodb }) => dynamodb?.ApproximateCreationDateTime ?? Infinity));
  if (!Number.isFinite(oldestSeconds)) return;
  recordMetrics({
    metrics: { processor_lag_ms: Math.max(0, now() - oldestSeconds * 1_000) },
    fields: { level: "info", message: "changes received", changes: Records.length },
  });
}

/**
 * Creates the Lambda handler of a DynamoDB stream, which applies the rules with aws-lambda-stream. Batch size, retries
 * and event filters are in `infra/stacks/changes-stack.ts`.
 */
export function processor(rules: readonly ChangeRule[]) {
  const pipelines = Object.fromEntries(rules.map((rule) => [rule.id, createPipeline(rule)]));
  return async (event: unknown): Promise<void> => {
    reportLag(event);
    await toPromise(
      initialize(pipelines, { publish: publishFaults }).assemble(fromDynamodb(event).map(withDecodedImages)),
    );
  };
}
