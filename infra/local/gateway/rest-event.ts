import { randomUUID } from "node:crypto";
import { account, stableId } from "../assembly/local-account.ts";
import { type Fields, fields, isFields, list, number, text } from "../json.ts";
import { type Exchange, header, logTime, queryPairs } from "./gateway-request.ts";

/** A request inside a REST API, once its resource is known. */
export type RestRequest = {
  apiId: string;
  stage: string;
  stageVariables: Fields;
  /** Without the stage: `/things/1`. */
  path: string;
  /** Path of the resource: `/things/{id}`. */
  resource: string;
  resourceId: string;
  parameters: Record<string, string>;
  domainName: string;
};

/**
 * The context of a request, as events carry it and as `$context` in templates reads it.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
 */
export function requestContextOf(exchange: Exchange, rest: RestRequest): Fields {
  const now = new Date();
  const requestId = randomUUID();
  return {
    accountId: account,
    apiId: rest.apiId,
    domainName: rest.domainName,
    domainPrefix: rest.domainName.split(".")[0],
    extendedRequestId: `${stableId(requestId, 15)}=`,
    httpMethod: exchange.method,
    identity: {
      accessKey: null,
      accountId: null,
      caller: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: exchange.sourceIp,
      user: null,
      userAgent: header(exchange, "user-agent") ?? null,
      userArn: null,
    },
    path: `/${rest.stage}${rest.path}`,
    protocol: "HTTP/1.1",
    requestId,
    requestTime: logTime(now),
    requestTimeEpoch: now.getTime(),
    resourceId: rest.resourceId,
    resourcePath: rest.resource,
    stage: rest.stage,
  };
}

/** What proxy and authorizer events have in common. */
export function eventBase(exchange: Exchange, rest: RestRequest, requestContext: Fields): Fields {
  const query = queryPairs(exchange.query);
  const stageVariables = Object.keys(rest.stageVariables).length > 0 ? rest.stageVariables : null;
  return {
    resource: rest.resource,
    path: rest.path,
    httpMethod: exchange.method,
    headers: lastOf(exchange.headers),
    multiValueHeaders: allOf(exchange.headers),
    queryStringParameters: query.length > 0 ? lastOf(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? allOf(query) : null,
    pathParameters: Object.keys(rest.parameters).length > 0 ? rest.parameters : null,
    stageVariables,
    requestContext,
  };
}

/**
 * The event of a Lambda proxy integration, payload 1.0.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export function proxyEvent(exchange: Exchange, rest: RestRequest, context: Fields, binaryTypes: string[]): Fields {
  const isBase64Encoded = exchange.body.length > 0 && isBinary(header(exchange, "content-type"), binaryTypes);
  return {
    ...eventBase(exchange, rest, context),
    body: exchange.body.length > 0 ? exchange.body.toString(isBase64Encoded ? "base64" : "utf8") : null,
    isBase64Encoded,
  };
}

/** An integration's response, ready to be sent. */
export type ProxyResponse = { status: number; headers: [name: string, value: string][]; body: string | Buffer };

/** Headers that API Gateway does not pass on from an integration; those it renames keep a trace. */
const dropped = new Set(["connection", "content-length", "transfer-encoding", "host", "trailer", "upgrade"]);
const remapped = new Set(["date", "server", "www-authenticate", "authorization", "user-agent", "content-md5"]);

/** Reads the result of a Lambda proxy integration; undefined when it is not one, which API Gateway answers with 502. */
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
  const multiple = Object.entries(fields(result.multiValueHeaders));
  const named = new Set(multiple.map(([name]) => name.toLowerCase()));
  const headers: [string, string][] = [
    ...Object.entries(fields(result.headers)).filter(([name]) => !named.has(name.toLowerCase())),
    ...multiple.flatMap(([name, values]) => list(values).map((value): [string, unknown] => [name, value])),
  ].flatMap(([name, value]) => passedOn(name, value));
  if (!headers.some(([name]) => name.toLowerCase() === "content-type"))
    headers.push(["content-type", "application/json"]);
  const binary = result.isBase64Encoded === true && isBinary(accept?.split(",")[0] ?? "*/*", binaryTypes);
  return { status, headers, body: binary ? Buffer.from(body, "base64") : body };
}

const proxyMembers = new Set(["statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded"]);

function passedOn(name: string, value: unknown): [string, string][] {
  const lower = name.toLowerCase();
  const content = text(value);
  if (content === undefined || dropped.has(lower)) return [];
  return [[remapped.has(lower) ? `x-amzn-remapped-${lower}` : name, content]];
}

/** Whether a media type is among an API's binary ones, which may end in a wildcard. */
function isBinary(contentType: string | undefined, binaryTypes: string[]): boolean {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return binaryTypes.some((each) => {
    const binary = each.toLowerCase();
    return binary === "*/*" || binary === type || (binary.endsWith("/*") && type.startsWith(binary.slice(0, -1)));
  });
}

function lastOf(pairs: [string, string][]): Record<string, string> {
  return Object.fromEntries(pairs);
}

function allOf(pairs: [string, string][]): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const [name, value] of pairs) {
    const values = all[name];
    if (values) values.push(value);
    else all[name] = [value];
  }
  return all;
}
