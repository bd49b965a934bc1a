import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { account } from "../assembly/local-account.ts";
import { type FunctionHost, maxPayloadBytes } from "../functions/function-host.ts";
import { FunctionError, type Sink, ThrottledError } from "../functions/function-instance.ts";
import { functionArn, type LambdaFunction } from "../functions/lambda-function.ts";
import type { ResponseHead } from "../functions/worker-messages.ts";
import { fields, isFields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import {
  decode,
  formatLogTime,
  type GatewayRequest,
  type OriginHandler,
  queryPairs,
  sendResponse,
  startResponse,
} from "./gateway-request.ts";

/**
 * Returns an origin by host name for each function URL of the app.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
export function functionUrls(deployment: Deployment, host: FunctionHost): Map<string, OriginHandler> {
  const origins = new Map<string, OriginHandler>();
  const permissions = deployment.resources("AWS::Lambda::Permission");
  for (const url of deployment.resources("AWS::Lambda::Url")) {
    const lambda = host.find(text(url.properties.TargetFunctionArn) ?? "");
    if (!lambda) continue;
    const domain = new URL(url.attributes.FunctionUrl ?? "").host;
    const isPermitted = url.properties.AuthType === "AWS_IAM" || hasUrlPermission(permissions, lambda);
    if (!isPermitted) {
      warn(lambda.name, "function URL has no lambda:InvokeFunctionUrl permission, so all calls are rejected");
    }
    const streaming = url.properties.InvokeMode === "RESPONSE_STREAM";
    origins.set(domain, isPermitted ? (request) => serve(request, host, lambda, domain, streaming) : forbid);
  }
  return origins;
}

function hasUrlPermission(permissions: DeployedResource[], lambda: LambdaFunction): boolean {
  return permissions.some(
    ({ properties }) =>
      properties.Action === "lambda:InvokeFunctionUrl" && functionArn(String(properties.FunctionName)) === lambda.arn,
  );
}

async function forbid(request: GatewayRequest): Promise<void> {
  sendResponse(request, 403, [["content-type", "application/json"]], '{"Message":"Forbidden"}');
}

async function serve(
  request: GatewayRequest,
  host: FunctionHost,
  lambda: LambdaFunction,
  domain: string,
  streaming: boolean,
): Promise<void> {
  const { response } = request;
  if (request.body.length > maxPayloadBytes) return fail(request, 413, "Request Entity Too Large");
  const requestId = randomUUID();
  response.setHeader("x-amzn-requestid", requestId);
  const sink = streaming ? new ResponseSink(request) : new BufferedSink();
  try {
    const payload = await host.invoke(lambda, urlEvent(request, domain, requestId), sink, requestId);
    if (sink instanceof BufferedSink && sink.head) sendBuffered(request, sink);
    else if (!sink.isStarted) sendResult(request, payload);
  } catch (error) {
    // A response in progress cannot be replaced; the client sees a broken connection.
    if (sink instanceof ResponseSink && sink.isStarted) sink.abort();
    else if (response.headersSent) response.destroy();
    else if (error instanceof ThrottledError) fail(request, 429, "Rate Exceeded.");
    else fail(request, error instanceof FunctionError && error.timedOut ? 504 : 502, "Internal Server Error");
    if (!(error instanceof FunctionError)) warn(lambda.name, String(error));
  }
}

/**
 * Returns the event that a function URL sends to its function.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-request-payload
 */
function urlEvent(request: GatewayRequest, domainName: string, requestId: string): object {
  const { method, path, query, body, sourceIp } = request;
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    if (key === "cookie") cookies.push(...value.split(/; */).filter(Boolean));
    else headers[key] = headers[key] === undefined ? value : `${headers[key]},${value}`;
  }
  const parameters: Record<string, string> = {};
  for (const [name, value] of queryPairs(query)) {
    parameters[name] = parameters[name] === undefined ? value : `${parameters[name]},${value}`;
  }
  const isBase64Encoded = body.length > 0 && !isText(headers["content-type"] ?? "");
  const now = new Date();
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: query,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(query !== "" && { queryStringParameters: parameters }),
    requestContext: {
      accountId: account,
      apiId: domainName.split(".")[0],
      domainName,
      domainPrefix: domainName.split(".")[0],
      http: { method, path: decode(path), protocol: "HTTP/1.1", sourceIp, userAgent: headers["user-agent"] ?? "" },
      requestId,
      routeKey: "$default",
      stage: "$default",
      time: formatLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? "base64" : "utf8") }),
    isBase64Encoded,
  };
}

/** Returns true for a content type whose body the event contains as text instead of Base64. Form posts are not among them. */
function isText(contentType: string): boolean {
  return /^(text\/|application\/(json|javascript|xml|[\w.-]+\+(json|xml))\b)/i.test(contentType.trim());
}

/** Writes a streamed response to the client, chunk by chunk. Discards chunks after the client has disconnected. */
class ResponseSink implements Sink {
  readonly #request: GatewayRequest;
  readonly #response: ServerResponse;
  /** Socket that is corked at the moment, or null. */
  #corkedSocket: Socket | null = null;
  isStarted = false;

  constructor(request: GatewayRequest) {
    this.#request = request;
    this.#response = request.response;
  }

  write(chunk: string | Uint8Array, head: ResponseHead | undefined): boolean {
    if (this.#isDisconnected) return true;
    this.#cork();
    if (head) {
      this.isStarted = true;
      writeHead(this.#request, head);
    }
    if (chunk.length > 0) return this.#response.write(chunk);
    this.#response.flushHeaders();
    return true;
  }

  /** Collects all writes of the current event loop turn, including headers, into one packet. */
  #cork(): void {
    if (this.#corkedSocket) return;
    this.#corkedSocket = this.#response.socket;
    this.#corkedSocket?.cork();
    setImmediate(() => this.#uncork());
  }

  #uncork(): void {
    this.#corkedSocket?.uncork();
    this.#corkedSocket = null;
  }

  onDrain(resume: () => void): void {
    const response = this.#response;
    const proceed = () => {
      response.off("drain", proceed).off("close", proceed);
      resume();
    };
    response.on("drain", proceed).on("close", proceed);
  }

  onDisconnect(callback: () => void): void {
    const response = this.#response;
    if (response.destroyed) callback();
    else response.once("close", () => response.writableFinished || callback());
  }

  end(): void {
    if (!this.isStarted) fail(this.#request, 502, "Internal Server Error");
    this.isStarted = true;
    this.#response.end();
    this.#uncork();
  }

  /** Closes the connection after the chunks, without ending the body, so that the client notices an incomplete response. */
  abort(): void {
    this.#uncork();
    this.#response.socket?.destroySoon();
  }

  get #isDisconnected(): boolean {
    return this.#response.destroyed;
  }
}

/** Collects a streamed response for a function URL with invoke mode BUFFERED. */
class BufferedSink implements Sink {
  head: ResponseHead | undefined;
  readonly chunks: Buffer[] = [];
  isStarted = false;

  write(chunk: string | Uint8Array, head: ResponseHead | undefined): boolean {
    this.isStarted = true;
    this.head ??= head;
    this.chunks.push(Buffer.from(chunk as Uint8Array));
    return true;
  }
  onDrain(): void {}
  onDisconnect(): void {}
  end(): void {}
}

function sendBuffered(request: GatewayRequest, { head, chunks }: BufferedSink): void {
  if (request.response.destroyed) return;
  writeHead(request, head ?? {});
  request.response.end(Buffer.concat(chunks));
}

function writeHead(request: GatewayRequest, { statusCode, headers, cookies }: ResponseHead): void {
  const defined = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const lines = defined.map(([name, value]): [string, string] => [name, String(value)]);
  for (const cookie of cookies ?? []) lines.push(["set-cookie", cookie]);
  startResponse(request, number(statusCode, 200), lines);
}

/**
 * Sends the result of a function that does not stream.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-response-payload
 */
function sendResult(request: GatewayRequest, payload: string): void {
  const result: unknown = JSON.parse(payload);
  if (!isFields(result) || result.statusCode === undefined) {
    sendResponse(request, 200, [["content-type", "application/json"]], typeof result === "string" ? result : payload);
    return;
  }
  const headers = Object.entries(fields(result.headers)).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  for (const cookie of list(result.cookies)) headers.push(["set-cookie", String(cookie)]);
  if (!headers.some(([name]) => name.toLowerCase() === "content-type")) {
    headers.push(["content-type", "application/json"]);
  }
  const body = text(result.body) ?? "";
  const content = result.isBase64Encoded === true ? Buffer.from(body, "base64") : body;
  sendResponse(request, number(result.statusCode, 502), headers, content);
}

function fail(request: GatewayRequest, status: number, message: string): void {
  sendResponse(request, status, [["content-type", "text/plain"]], message);
}
