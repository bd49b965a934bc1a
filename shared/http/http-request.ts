import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from "aws-lambda";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { toRateLimitAddress } from "./client-address.ts";
import { isFromCloudFront } from "./origin-secret.ts";

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

/** Converts the names of headers to lower case. */
export function readHeaders(headers: Readonly<Record<string, string | undefined>> | null): RequestHeaders {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
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

/** Fields of a request that differ if CloudFront forwarded it. */
export type ClientFields = Pick<HttpRequest, "headers" | "isFromCloudFront" | "address" | "baseUrl">;

const toBaseUrl = (headers: RequestHeaders, host: string | undefined) =>
  `${headers["x-forwarded-proto"] ?? "https"}://${host ?? ""}`;

/** Returns the client of a request that did not come through CloudFront, which is its peer. */
export function peerClient(headers: RequestHeaders, peerAddress: string): ClientFields {
  const address = toRateLimitAddress(peerAddress);
  return { headers, isFromCloudFront: false, address, baseUrl: toBaseUrl(headers, headers.host) };
}

/**
 * Returns the client of a request. CloudFront passes its address, host and content type in headers; it replaces the content
 * type, so that API Gateway and function URLs pass the bytes of bodies on.
 * @throws ServiceError `unavailable` if the origin secret has never been read and cannot be read
 */
export async function readClient(peer: ClientFields): Promise<ClientFields> {
  const { headers } = peer;
  const fromCloudFront = await isFromCloudFront(headers).catch((cause) => {
    throw new ServiceError("unavailable", undefined, { headers: { "retry-after": "1" }, cause });
  });
  if (!fromCloudFront) return peer;
  const contentType = headers["x-viewer-content-type"] ?? headers["content-type"];
  return {
    headers: contentType === undefined ? headers : { ...headers, "content-type": contentType },
    isFromCloudFront: true,
    address: headers["x-viewer-address"] ? toRateLimitAddress(headers["x-viewer-address"]) : peer.address,
    baseUrl: toBaseUrl(headers, headers["x-viewer-host"] || headers.host),
  };
}

/**
 * Converts an API Gateway proxy event with payload format 1.0. Nothing in it is taken from CloudFront yet.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway.html
 */
export function fromRestApi(event: APIGatewayProxyEvent): HttpRequest {
  const headers = readHeaders(event.headers);
  return {
    method: event.httpMethod,
    path: event.path,
    query: omitUndefined(event.queryStringParameters),
    params: omitUndefined(event.pathParameters),
    ...peerClient(headers, event.requestContext.identity.sourceIp),
    gatewayRequestId: event.requestContext.requestId,
    authorizer: event.requestContext.authorizer ?? null,
    rawBody: readRawBody(event),
  };
}

/**
 * Converts a function URL event with payload format 2.0. Nothing in it is taken from CloudFront yet.
 * @param template path template of the route, used to extract path parameters
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
export function fromFunctionUrl(event: LambdaFunctionURLEvent, template: string): HttpRequest {
  const headers = readHeaders(event.headers);
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    query: omitUndefined(event.queryStringParameters),
    params: matchPath(template, event.rawPath) ?? {},
    ...peerClient(headers, event.requestContext.http.sourceIp),
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
