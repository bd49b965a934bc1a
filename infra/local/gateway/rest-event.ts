import { randomUUID } from "node:crypto";
import { account, stableId } from "../assembly/local-account.ts";
import { type Fields, fields, isFields, list, number, text } from "../json.ts";
import { formatLogTime, type GatewayRequest, header, queryPairs } from "./gateway-request.ts";

/** Request to a REST API, with the resource that its path matches. */
export interface RestRequest {
  apiId: string;
  stage: string;
  /** Path without the stage: `/things/1`. */
  path: string;
  /** Path of the resource: `/things/{id}`. */
  resource: string;
  resourceId: string;
  parameters: Record<string, string>;
  domainName: string;
}

/**
 * Builds the request context, which events contain and which templates read as `$context`.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
 */
export function buildRequestContext(request: GatewayRequest, rest: RestRequest): Fields {
  const now = new Date();
  const requestId = randomUUID();
  return {
    accountId: account,
    apiId: rest.apiId,
    domainName: rest.domainName,
    domainPrefix: rest.domainName.split(".")[0],
    extendedRequestId: `${stableId(requestId, 15)}=`,
    httpMethod: request.method,
    identity: {
      accessKey: null,
      accountId: null,
      caller: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: request.sourceIp,
      user: null,
      userAgent: header(request, "user-agent") ?? null,
      userArn: null,
    },
    path: `/${rest.stage}${rest.path}`,
    protocol: "HTTP/1.1",
    requestId,
    requestTime: formatLogTime(now),
    requestTimeEpoch: now.getTime(),
    resourceId: rest.resourceId,
    resourcePath: rest.resource,
    stage: rest.stage,
  };
}

/** Returns the fields that events for proxy integrations and for authorizers have in common. */
export function eventBase(request: GatewayRequest, rest: RestRequest, requestContext: Fields): Fields {
  const query = queryPairs(request.query);
  return {
    resource: rest.resource,
    path: rest.path,
    httpMethod: request.method,
    headers: lastValues(request.headers),
    multiValueHeaders: allValues(request.headers),
    queryStringParameters: query.length > 0 ? lastValues(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? allValues(query) : null,
    pathParameters: Object.keys(rest.parameters).length > 0 ? rest.parameters : null,
    stageVariables: null,
    requestContext,
  };
}

/**
 * Builds the event of a Lambda proxy integration, payload format 1.0.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export function proxyEvent(request: GatewayRequest, rest: RestRequest, context: Fields, binaryTypes: string[]): Fields {
  const isBase64Encoded = request.body.length > 0 && isBinary(header(request, "content-type"), binaryTypes);
  return {
    ...eventBase(request, rest, context),
    body: request.body.length > 0 ? request.body.toString(isBase64Encoded ? "base64" : "utf8") : null,
    isBase64Encoded,
  };
}

interface ProxyResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string | Buffer;
}

/** Headers that API Gateway drops from integration responses, and headers that it renames to `x-amzn-remapped-…`. */
const droppedHeaders = new Set(["connection", "content-length", "transfer-encoding", "host", "trailer", "upgrade"]);
const remappedHeaders = new Set(["date", "server", "www-authenticate", "authorization", "user-agent", "content-md5"]);

/** Parses the result of a Lambda proxy integration; undefined if it is malformed, which API Gateway answers with 502. */
export function proxyResponse(
  payload: string,
  accept: string | undefined,
  binaryTypes: string[],
): ProxyResponse | undefined {
  const result: unknown = JSON.parse(payload);
  if (!isFields(result)) return undefined;
  const status = number(result.statusCode, Number.NaN);
  const body = text(result.body ?? "");
  if (!Number.isInteger(status) || status < 100 || status > 599 || body === undefined) return undefined;
  if (Object.keys(result).some((key) => !proxyMembers.has(key))) return undefined;
  const multiValueHeaders = Object.entries(fields(result.multiValueHeaders));
  const multiValueNames = new Set(multiValueHeaders.map(([name]) => name.toLowerCase()));
  const headers: [string, string][] = [
    ...Object.entries(fields(result.headers)).filter(([name]) => !multiValueNames.has(name.toLowerCase())),
    ...multiValueHeaders.flatMap(([name, values]) => list(values).map((value): [string, unknown] => [name, value])),
  ].flatMap(([name, value]) => toHeaderLines(name, value));
  if (!headers.some(([name]) => name.toLowerCase() === "content-type")) {
    headers.push(["content-type", "application/json"]);
  }
  const binary = result.isBase64Encoded === true && isBinary(accept?.split(",")[0] ?? "*/*", binaryTypes);
  return { status, headers, body: binary ? Buffer.from(body, "base64") : body };
}

const proxyMembers = new Set(["statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded"]);

function toHeaderLines(name: string, value: unknown): [string, string][] {
  const lower = name.toLowerCase();
  const content = text(value);
  if (content === undefined || droppedHeaders.has(lower)) return [];
  return [[remappedHeaders.has(lower) ? `x-amzn-remapped-${lower}` : name, content]];
}

/** Returns true if a content type matches one of the API's binary media types, which can end in a wildcard. */
function isBinary(contentType: string | undefined, binaryTypes: string[]): boolean {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return binaryTypes.some((binaryType) => {
    const binary = binaryType.toLowerCase();
    return binary === "*/*" || binary === type || (binary.endsWith("/*") && type.startsWith(binary.slice(0, -1)));
  });
}

function lastValues(pairs: [string, string][]): Record<string, string> {
  return Object.fromEntries(pairs);
}

function allValues(pairs: [string, string][]): Record<string, string[]> {
  // Without a prototype, a parameter may be named `__proto__`.
  const all: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const values = all[name];
    if (values) values.push(value);
    else all[name] = [value];
  }
  return all;
}
