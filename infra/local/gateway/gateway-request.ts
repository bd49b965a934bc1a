import type { IncomingMessage, ServerResponse } from "node:http";

/** A request as an origin behind the gateway gets it, and the response to fill. */
export type Exchange = {
  method: string;
  /** As sent, still percent-encoded, without the query. */
  path: string;
  /** As sent, without the question mark. */
  query: string;
  /** In the order and case they were sent, with what the gateway adds. */
  headers: [name: string, value: string][];
  body: Buffer;
  /** Address of the peer. */
  sourceIp: string;
  response: ServerResponse;
  /** Last touch to the response's headers, once the origin has set its own. */
  decorate?: (response: ServerResponse) => void;
};

/** Answers a request of the distribution. */
export type Origin = (exchange: Exchange) => Promise<void>;

/** First value of a header, whatever its case. */
export function header(exchange: Pick<Exchange, "headers">, name: string): string | undefined {
  return exchange.headers.find(([each]) => each.toLowerCase() === name)?.[1];
}

/** Reads a request's body. Of a body longer than `limit` it gives a little more than that, and lets the rest run dry. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > limit) break;
  }
  request.resume();
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
}

/** Headers as `rawHeaders` has them, in pairs. */
export function headerPairs(request: IncomingMessage): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2)
    pairs.push([request.rawHeaders[index] ?? "", request.rawHeaders[index + 1] ?? ""]);
  return pairs;
}

/** Decodes percent-encoding; text that is not properly encoded stays as it is. */
export function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Query parameters in order, decoded as AWS does (`+` is a space). */
export function queryPairs(query: string): [name: string, value: string][] {
  return query === "" ? [] : [...new URLSearchParams(query)];
}

/** Starts a response. Names that occur more than once become several header lines. */
export function startResponse(exchange: Exchange, status: number, headers: [name: string, value: string][]): void {
  const { response } = exchange;
  for (const [name, value] of headers) response.appendHeader(name, value);
  exchange.decorate?.(response);
  response.writeHead(status);
}

/** Sends a whole response, unless the client is gone or another one is under way. */
export function send(
  exchange: Exchange,
  status: number,
  headers: [name: string, value: string][],
  body: string | Buffer,
): void {
  const { response } = exchange;
  if (response.destroyed || response.headersSent) return;
  const length: [string, string][] = [["content-length", String(Buffer.byteLength(body))]];
  startResponse(exchange, status, status === 204 || status === 304 ? headers : [...headers, ...length]);
  response.end(body);
}

/** `20/Nov/2026:22:09:00 +0000`, the time format of access logs and events. */
export function logTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(" ");
  return `${day}/${month}/${year}:${clock} +0000`;
}
