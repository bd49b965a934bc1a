import type { IncomingMessage, ServerResponse } from "node:http";

/** Request as an origin gets it, with the response to write to. */
export interface GatewayRequest {
  method: string;
  /** Raw path, percent-encoded, without the query. */
  path: string;
  /** Raw query, without the question mark. */
  query: string;
  /** Headers in original order and case, including those that the gateway adds. */
  headers: [name: string, value: string][];
  body: Buffer;
  /** IP address of the peer. */
  sourceIp: string;
  response: ServerResponse;
  /** Set if the distribution compresses responses of this path. */
  compress?: boolean;
  /** Changes the response headers after the origin has set its own, such as by a response headers policy. */
  decorate?: (response: ServerResponse) => void;
}

/** Handles requests for a host, such as those of a REST API or function URL. */
export type OriginHandler = (request: GatewayRequest) => Promise<void>;

/** Returns the first value of a header. `name` is in lower case. */
export function header(request: Pick<GatewayRequest, "headers">, name: string): string | undefined {
  return request.headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1];
}

/** Reads a request body. Reads at most little more than `maxBytes` and discards the rest; the caller checks the length. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > maxBytes) break;
  }
  request.resume();
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
}

/** Returns the headers of a request as name and value pairs, in their original order and case. */
export function headerPairs(request: IncomingMessage): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    pairs.push([request.rawHeaders[index] ?? "", request.rawHeaders[index + 1] ?? ""]);
  }
  return pairs;
}

/** Decodes percent-encoding. Returns malformed text unchanged. */
export function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Returns the query parameters in order, decoded as on AWS (`+` is a space). */
export function queryPairs(query: string): [name: string, value: string][] {
  return query === "" ? [] : [...new URLSearchParams(query)];
}

/** Writes the response head. Repeated names become several header lines. */
export function startResponse(request: GatewayRequest, status: number, headers: [name: string, value: string][]): void {
  const { response } = request;
  for (const [name, value] of headers) response.appendHeader(name, value);
  request.decorate?.(response);
  response.writeHead(status);
}

/** Sends a complete response, unless the client has disconnected or a response has already started. */
export function sendResponse(
  request: GatewayRequest,
  status: number,
  headers: [name: string, value: string][],
  body: string | Buffer,
): void {
  const { response } = request;
  if (response.destroyed || response.headersSent) return;
  const length: [string, string][] = [["content-length", String(Buffer.byteLength(body))]];
  startResponse(request, status, status === 204 || status === 304 ? headers : [...headers, ...length]);
  response.end(body);
}

/** Formats a time as in access logs and events: `20/Nov/2026:22:09:00 +0000`. */
export function formatLogTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(" ");
  return `${day}/${month}/${year}:${clock} +0000`;
}
