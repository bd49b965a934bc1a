import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from "aws-lambda";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { isFromCloudFront, toRateLimitAddress } from "./client-address.ts";

/** What both of AWS's event formats say of a request, in one form. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly query: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  /** Whether CloudFront sent it on; whoever goes round CloudFront may say anything. */
  readonly isFromCloudFront: boolean;
  /** Where the client calls from: its address, or of an IPv6 one its network. */
  readonly address: string;
  /** The request id AWS gave. */
  readonly gatewayRequestId: string;
  /** What the authorizer says of the caller; null where none was asked. */
  readonly authorizer: Readonly<Record<string, unknown>> | null;
  /** The body, byte for byte as it was sent. */
  readonly rawBody: Buffer;
}

function lowerCase(headers: Readonly<Record<string, string | undefined>> | null): RequestHeaders {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

function present(values: Readonly<Record<string, string | undefined>> | null | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values ?? {}).filter((entry): entry is [string, string] => !!entry[1] || entry[1] === ""),
  );
}

function rawBody({ body, isBase64Encoded }: { body?: string | null; isBase64Encoded: boolean }): Buffer {
  return Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
}

/** Where a request comes from: CloudFront says it of what it sends on, of the rest the peer is all we know. */
function clientOf(headers: RequestHeaders, peer: string): Pick<HttpRequest, "isFromCloudFront" | "address"> {
  const isFromCloudFront = isFromCloudFront(headers);
  return { isFromCloudFront, address: toRateLimitAddress((isFromCloudFront && headers["x-viewer-address"]) || peer) };
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway.html (payload 1.0) */
export function fromRestApi(event: APIGatewayProxyEvent): HttpRequest {
  const headers = lowerCase(event.headers);
  return {
    method: event.httpMethod,
    path: event.path,
    headers,
    query: present(event.queryStringParameters),
    params: present(event.pathParameters),
    ...clientOf(headers, event.requestContext.identity.sourceIp),
    gatewayRequestId: event.requestContext.requestId,
    authorizer: event.requestContext.authorizer ?? null,
    rawBody: rawBody(event),
  };
}

/**
 * @param template path of the route, whose `{name}` parameters are read from the request's path
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html (payload 2.0)
 */
export function fromFunctionUrl(event: LambdaFunctionURLEvent, template: string): HttpRequest {
  const headers = lowerCase(event.headers);
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    headers,
    query: present(event.queryStringParameters),
    params: matchPath(template, event.rawPath) ?? {},
    ...clientOf(headers, event.requestContext.http.sourceIp),
    gatewayRequestId: event.requestContext.requestId,
    authorizer: null,
    rawBody: rawBody(event),
  };
}

/** Parameters of a path that fits a `{name}` template, decoded; null when it does not fit. */
function matchPath(template: string, path: string): Record<string, string> | null {
  const wanted = template.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const actual = given[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== actual) return null;
    if (name !== undefined) params[name] = decoded(actual);
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
