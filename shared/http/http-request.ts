import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from "aws-lambda";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { isFromCloudFront, toRateLimitAddress } from "./client-address.ts";

/** HTTP request in one form for all kinds of AWS events. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly query: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  /** True if CloudFront forwarded the request; otherwise `X-Viewer-Address` and similar headers are untrusted. */
  readonly isFromCloudFront: boolean;
  /** Client address, normalized for rate limiting. */
  readonly address: string;
  /**
   * Base URL to which the client sent the request, such as `https://chat.example.com`; without CloudFront, that of the
   * API itself.
   */
  readonly baseUrl: string;
  /** Request id that API Gateway or the function URL assigned. */
  readonly gatewayRequestId: string;
  /** Context returned by the Lambda authorizer; null on routes without one. */
  readonly authorizer: Readonly<Record<string, unknown>> | null;
  /** Body exactly as it was sent; signatures are computed over these bytes. */
  readonly rawBody: Buffer;
}

/**
 * Converts the names of headers to lower case, and restores the content type that CloudFront replaced, so that API Gateway and
 * function URLs pass the bytes of bodies on.
 */
export function readHeaders(headers: Readonly<Record<string, string | undefined>> | null): RequestHeaders {
  const read = Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  ) as Record<string, string | undefined>;
  const contentType = read["x-viewer-content-type"];
  if (contentType !== undefined && isFromCloudFront(read)) read["content-type"] = contentType;
  return read;
}

function omitUndefined(
  values: Readonly<Record<string, string | undefined>> | null | undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values ?? {}).filter((entry): entry is [string, string] => !!entry[1] || entry[1] === ""),
  );
}

function readRawBody({ body, isBase64Encoded }: { body?: string | null; isBase64Encoded: boolean }): Buffer {
  return Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
}

/**
 * Determines the address of the client and the base URL that it used. CloudFront passes both in headers; without
 * CloudFront, the address is that of the peer.
 */
export function readClient(
  headers: RequestHeaders,
  peerAddress: string,
): Pick<HttpRequest, "isFromCloudFront" | "address" | "baseUrl"> {
  const fromCloudFront = isFromCloudFront(headers);
  const address = toRateLimitAddress((fromCloudFront && headers["x-viewer-address"]) || peerAddress);
  const host = (fromCloudFront && headers["x-viewer-host"]) || headers.host || "";
  const baseUrl = `${headers["x-forwarded-proto"] ?? "https"}://${host}`;
  return { isFromCloudFront: fromCloudFront, address, baseUrl };
}

/**
 * Converts an API Gateway proxy event with payload format 1.0.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway.html
 */
export function fromRestApi(event: APIGatewayProxyEvent): HttpRequest {
  const headers = readHeaders(event.headers);
  return {
    method: event.httpMethod,
    path: event.path,
    headers,
    query: omitUndefined(event.queryStringParameters),
    params: omitUndefined(event.pathParameters),
    ...readClient(headers, event.requestContext.identity.sourceIp),
    gatewayRequestId: event.requestContext.requestId,
    authorizer: event.requestContext.authorizer ?? null,
    rawBody: readRawBody(event),
  };
}

/**
 * Converts a function URL event with payload format 2.0.
 * @param template path template of the route, used to extract path parameters
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
export function fromFunctionUrl(event: LambdaFunctionURLEvent, template: string): HttpRequest {
  const headers = readHeaders(event.headers);
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    headers,
    query: omitUndefined(event.queryStringParameters),
    params: matchPath(template, event.rawPath) ?? {},
    ...readClient(headers, event.requestContext.http.sourceIp),
    gatewayRequestId: event.requestContext.requestId,
    authorizer: null,
    rawBody: readRawBody(event),
  };
}

/**
 * Returns the decoded parameters of a path by the names in a template such as `/runs/{id}`; null if the path does not
 * match.
 */
function matchPath(template: string, path: string): Record<string, string> | null {
  const templateSegments = template.split("/");
  const segments = path.split("/");
  if (templateSegments.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, templateSegment] of templateSegments.entries()) {
    const segment = segments[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(templateSegment)?.[1];
    if (name === undefined && templateSegment !== segment) return null;
    if (name !== undefined) params[name] = decodeSegment(segment);
  }
  return params;
}

/** Decodes a path segment. A malformed escape sequence stays unchanged. */
function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
