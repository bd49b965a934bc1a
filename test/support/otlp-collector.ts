import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { readFields } from "#shared/telemetry/protobuf.ts";

/** Span as a collector receives it, with its attributes by name. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly spanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Returns the values of a field of a message. */
const valuesOf = (message: Buffer, number: number): (bigint | Buffer)[] =>
  readFields(message).flatMap(({ field, value }) => (field === number ? [value] : []));

const messagesOf = (message: Buffer, field: number) => valuesOf(message, field) as Buffer[];

/** Decodes an `AnyValue`. */
function toValue(message: Buffer): unknown {
  const [{ field, value } = { field: 0, value: 0n }] = readFields(message);
  if (typeof value === "bigint") return field === 2 ? value === 1n : Number(value);
  if (field === 1) return value.toString("utf8");
  return field === 4 ? value.readDoubleLE() : messagesOf(value, 1).map(toValue);
}

/** Decodes a span. @throws Error if it has ids that collectors refuse */
function toSpan(message: Buffer): ReceivedSpan {
  const idOf = (field: number, bytes: number) => {
    const [id] = messagesOf(message, field);
    if (id && id.length !== bytes) throw new Error(`id of ${id.length} bytes`);
    return id?.toString("hex");
  };
  const parentSpanId = idOf(4, 8);
  return {
    traceId: idOf(1, 16) ?? "",
    spanId: idOf(2, 8) ?? "",
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: String(valuesOf(message, 5)[0]),
    attributes: Object.fromEntries(
      messagesOf(message, 9).map((attribute) => [
        String(valuesOf(attribute, 1)[0]),
        toValue(messagesOf(attribute, 2)[0] as Buffer),
      ]),
    ),
  };
}

/** Decodes the spans of an `ExportTraceServiceRequest`. */
export const readSpans = (request: Buffer): ReceivedSpan[] =>
  messagesOf(request, 1)
    .flatMap((resourceSpans) => messagesOf(resourceSpans, 2))
    .flatMap((scopeSpans) => messagesOf(scopeSpans, 2))
    .map(toSpan);

/** Collector of OTLP over HTTP that keeps the spans it receives. */
export interface OtlpCollector {
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  /** Header `authorization` of each request. */
  readonly credentials: (string | undefined)[];
  /** Status of the next responses. */
  status: number;
  /** Body and headers of the next responses. */
  response: Buffer;
  headers: Readonly<Record<string, string>>;
  stop(): void;
}

/** Starts a collector on a free port. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    collector.credentials.push(request.headers.authorization);
    response.statusCode = collector.status;
    for (const [name, value] of Object.entries(collector.headers)) response.setHeader(name, value);
    if (request.headers["content-type"] !== "application/x-protobuf") response.statusCode = 415;
    if (request.url !== "/v1/traces") response.statusCode = 404;
    try {
      if (response.statusCode === 200) collector.spans.push(...readSpans(body));
    } catch {
      response.statusCode = 400;
    }
    response.end(collector.response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const collector: OtlpCollector = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    credentials: [],
    status: 200,
    response: Buffer.of(),
    headers: {},
    stop: () => server.closeAllConnections() ?? server.close(),
  };
  return collector;
}
