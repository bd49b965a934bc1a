import { fromDynamodb } from "aws-lambda-stream/from/dynamodb";
import { initialize } from "aws-lambda-stream/pipelines";
import { toPromise } from "aws-lambda-stream/utils/handler";
import highland from "highland";
import { decodeImage } from "../dynamodb/dynamodb-client.ts";
import { isRetryableError } from "../dynamodb/is-retryable-error.ts";
import { now } from "../lib/clock.ts";
import { recordMetrics } from "../lib/metrics.ts";
import { runInTraceContext, type TraceContext, toTraceContext } from "../lib/tracing/trace-context.ts";
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

/** Attributes of an item that name the request of its last change. */
interface TracedImage {
  readonly request_id?: unknown;
  readonly traceparent?: unknown;
  readonly deleted_by?: unknown;
}

/**
 * Returns the trace context that the changed item stores, which is that of the request that made the change. A deleted item
 * has the one of its deletion only if a request deleted it; otherwise it has expired, long after the request it names.
 */
function traceOf({ new: after, old: before }: StreamUnitOfWork["event"]["raw"]): TraceContext | undefined {
  const image: TracedImage | undefined = after ?? (before?.deleted_by === undefined ? undefined : before);
  const { request_id, traceparent } = image ?? {};
  return typeof request_id === "string" ? toTraceContext(request_id, traceparent) : undefined;
}

const createPipeline = (rule: ChangeRule) => () => (stream: HighlandStream<StreamUnitOfWork>) =>
  stream
    .filter(({ event: { type, raw } }) => rule.on.includes(type) && !isCopy(raw.old, raw.new))
    .map((unit) =>
      highland(
        runInTraceContext(traceOf(unit.event.raw), () => rule.apply(toChange(unit))).catch(rethrowAsFault(unit)),
      ),
    )
    .parallel(rule.concurrency ?? DEFAULT_CONCURRENCY);

/** Decodes what `traceOf` reads of an image, because images can be large. */
const decodeTrace = (image: Readonly<Record<string, unknown>> | undefined) =>
  decodeImage(
    image &&
      Object.fromEntries(
        Object.entries(image).filter(([name]) => ["request_id", "traceparent", "deleted_by"].includes(name)),
      ),
  );

/** Fields of a stream event that the report reads. */
interface StreamEvent {
  readonly Records?: readonly {
    readonly dynamodb?: StreamUnitOfWork["record"]["dynamodb"] & { readonly ApproximateCreationDateTime?: number };
  }[];
}

/**
 * Records the age of the oldest change in a batch as a metric, and the ids of the requests that made the changes: a line for
 * each batch instead of each change, because logs are paid by their size.
 */
function reportBatch(event: unknown): void {
  const changes = ((event as StreamEvent).Records ?? []).flatMap(({ dynamodb }) => dynamodb ?? []);
  const oldestSeconds = Math.min(
    ...changes.map(({ ApproximateCreationDateTime }) => ApproximateCreationDateTime ?? Infinity),
  );
  if (!Number.isFinite(oldestSeconds)) return;
  const ids = changes.map(
    ({ NewImage, OldImage }) => traceOf({ new: decodeTrace(NewImage), old: decodeTrace(OldImage) })?.request_id,
  );
  recordMetrics({
    metrics: { processor_lag_ms: Math.max(0, now() - oldestSeconds * 1_000) },
    fields: {
      level: "info",
      message: "changes received",
      changes: changes.length,
      request_ids: [...new Set(ids.filter((id) => id !== undefined))],
    },
  });
}

/**
 * Creates the Lambda handler of a DynamoDB stream, which applies the rules with aws-lambda-stream. Batch size, retries
 * and event filters are in `infra/stacks/changes-stack.ts`.
 */
export function processor(rules: readonly ChangeRule[]) {
  const pipelines = Object.fromEntries(rules.map((rule) => [rule.id, createPipeline(rule)]));
  return async (event: unknown): Promise<void> => {
    reportBatch(event);
    await toPromise(
      initialize(pipelines, { publish: publishFaults }).assemble(fromDynamodb(event).map(withDecodedImages)),
    );
  };
}
