import {
  bytesField,
  doubleField,
  fixed64Field,
  integerField,
  messageField,
  readFields,
  textField,
} from "./protobuf.ts";
import { attributeNames } from "./span-names.ts";

/** Content type of export requests. Some receivers, such as Arize Phoenix, do not accept JSON. */
export const OTLP_CONTENT_TYPE = "application/x-protobuf";

/**
 * HTTP statuses after which the same request may be sent again.
 * @see https://opentelemetry.io/docs/specs/otlp/#failures-1
 */
export const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Returns the URL to which traces are sent, given the base URL of a collector. */
export function toTracesUrl(base: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

/** Value of a span attribute. Numbers are rounded to integers, except those in `doubleAttributes`. */
type AttributeValue = string | number | boolean | readonly string[];

/** Span attributes by their short name in `attributeNames`; undefined and null values are not sent. */
export type SpanAttributes = Partial<Record<keyof typeof attributeNames, AttributeValue | null | undefined>>;

export interface TraceSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: keyof typeof kinds;
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly isFailed?: boolean;
}

const kinds = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;

const toNanoseconds = (ms: number) => BigInt(Math.round(ms)) * 1_000_000n;

/**
 * Attributes that are sent as doubles even if the value is an integer, because back ends store the two types in different
 * columns.
 */
const doubleAttributes: ReadonlySet<string> = new Set([attributeNames.firstChunk, attributeNames.costUsd]);

/** Encodes a value as the content of an `AnyValue` message. */
function encodeValue(value: AttributeValue, isDouble = false): Buffer {
  if (typeof value === "string") return textField(1, value);
  if (typeof value === "boolean") return integerField(2, Number(value));
  if (typeof value === "number") return isDouble ? doubleField(4, value) : integerField(3, Math.round(value));
  return messageField(
    5,
    value.map((item) => messageField(1, [encodeValue(item)])),
  );
}

const encodeAttribute = (field: number, name: string, value: AttributeValue): Buffer =>
  messageField(field, [textField(1, name), messageField(2, [encodeValue(value, doubleAttributes.has(name))])]);

const encodeAttributes = (field: number, attributes: SpanAttributes): Buffer[] =>
  Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined || value === null
      ? []
      : encodeAttribute(field, attributeNames[name as keyof typeof attributeNames], value),
  );

const encodeSpan = (traceId: string, span: TraceSpan): Buffer =>
  messageField(2, [
    bytesField(1, Buffer.from(traceId, "hex")),
    bytesField(2, Buffer.from(span.spanId, "hex")),
    ...(span.parentSpanId === undefined ? [] : [bytesField(4, Buffer.from(span.parentSpanId, "hex"))]),
    textField(5, span.name),
    integerField(6, kinds[span.kind]),
    fixed64Field(7, toNanoseconds(span.startMs)),
    fixed64Field(8, toNanoseconds(Math.max(span.startMs, span.endMs))),
    ...encodeAttributes(9, span.attributes),
    ...(span.isFailed ? [messageField(15, [integerField(3, STATUS_ERROR)])] : []),
  ]);

/**
 * Encodes spans as the request body of OTLP over HTTP, an `ExportTraceServiceRequest`.
 * @see https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
export function renderTraces(traceId: string, spans: readonly TraceSpan[], stage: string): Buffer {
  const resource = [
    encodeAttribute(1, "service.name", "switchboard"),
    encodeAttribute(1, "deployment.environment.name", stage),
  ];
  const scope = messageField(1, [textField(1, "switchboard.runs")]);
  const scopeSpans = messageField(2, [scope, ...spans.map((span) => encodeSpan(traceId, span))]);
  return messageField(1, [messageField(1, resource), scopeSpans]);
}

/**
 * Returns the number of spans that a receiver rejected in a response with the status 200. The request must not be sent again.
 * @param body response body, an `ExportTraceServiceResponse`
 * @see https://opentelemetry.io/docs/specs/otlp/#partial-success-1
 */
export function countRejectedSpans(body: Buffer): number {
  try {
    const partialSuccess = readFields(body).find(({ field }) => field === 1)?.value;
    if (!Buffer.isBuffer(partialSuccess)) return 0;
    return Number(readFields(partialSuccess).find(({ field }) => field === 1)?.value ?? 0);
  } catch {
    // Some receivers answer with JSON or text.
    return 0;
  }
}
