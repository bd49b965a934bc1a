import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Span as a collector receives it, with its attributes by name. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly spanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface SentSpan extends Omit<ReceivedSpan, "attributes"> {
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** Collector of OTLP over HTTP that keeps the spans it receives. */
export interface OtlpCollector {
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  /** Header `authorization` of each request. */
  readonly credentials: (string | undefined)[];
  /** Status of the next responses. */
  status: number;
  stop(): void;
}

/** Starts a collector on a free port. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    collector.credentials.push(request.headers.authorization);
    if (request.url !== "/v1/traces") response.statusCode = 404;
    else response.statusCode = collector.status;
    response.setHeader("content-type", "application/json").end("{}");
    if (response.statusCode !== 200) return;
    const spans: SentSpan[] = body.resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: SentSpan[] }[] }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    );
    collector.spans.push(
      ...spans.map(({ attributes, ...span }) => ({
        ...span,
        attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
      })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const collector: OtlpCollector = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    credentials: [],
    status: 200,
    stop: () => server.closeAllConnections() ?? server.close(),
  };
  return collector;
}
