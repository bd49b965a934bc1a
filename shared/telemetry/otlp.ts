import { attributeNames } from "./span-names.ts";

/** Statuses after which a request may be repeated. @see https://opentelemetry.io/docs/specs/otlp/#failures-1 */
export const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Returns the address for traces of a collector with this base address. */
export function toTracesUrl(base: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

/** Value of an attribute. Integers and other numbers have different types in OTLP. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by their short name; undefined and null values are left out. */
export type Attributes = Partial<Record<keyof typeof attributeNames, AttributeValue | null | undefined>>;

export interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: keyof typeof kinds;
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly isFailed?: boolean;
}

const kinds = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;

const toNanoseconds = (ms: number) => `${BigInt(Math.round(ms)) * 1_000_000n}`;

function toAnyValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(toAnyValue) } };
}

const toAttributes = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined || value === null
      ? []
      : [{ key: attributeNames[name as keyof typeof attributeNames], value: toAnyValue(value) }],
  );

/**
 * Renders spans as the JSON body of a request of OTLP over HTTP.
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function renderTraces(traceId: string, spans: readonly Span[], stage: string): string {
  const resource = { "service.name": "switchboard", "deployment.environment.name": stage };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: Object.entries(resource).map(([key, value]) => ({ key, value: toAnyValue(value) })) },
        scopeSpans: [
          {
            scope: { name: "switchboard.runs" },
            spans: spans.map(({ spanId, parentSpanId, name, kind, startMs, endMs, attributes, isFailed }) => ({
              traceId,
              spanId,
              ...(parentSpanId !== undefined && { parentSpanId }),
              name,
              kind: kinds[kind],
              startTimeUnixNano: toNanoseconds(startMs),
              endTimeUnixNano: toNanoseconds(Math.max(startMs, endMs)),
              attributes: toAttributes(attributes),
              status: isFailed ? { code: STATUS_ERROR } : {},
            })),
          },
        ],
      },
    ],
  });
}
