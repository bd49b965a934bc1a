import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Deployed, Deployment } from "../assembly/deployment.ts";
import { account } from "../assembly/local-account.ts";
import { type FunctionHost, payloadLimit } from "../functions/function-host.ts";
import { FunctionError, type Sink } from "../functions/function-instance.ts";
import { functionArn, type LambdaFunction } from "../functions/lambda-function.ts";
import type { ResponseHead } from "../functions/worker-messages.ts";
import { fields, isFields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import { decode, type Exchange, logTime, type Origin, queryPairs, send, startResponse } from "./gateway-request.ts";

/**
 * The app's function URLs, by their host names.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
export function functionUrls(deployment: Deployment, host: FunctionHost): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  const permissions = deployment.resources("AWS::Lambda::Permission");
  for (const url of deployment.resources("AWS::Lambda::Url")) {
    const lambda = host.find(text(url.properties.TargetFunctionArn) ?? "");
    if (!lambda) continue;
    const domain = new URL(url.attributes.FunctionUrl ?? "").host;
    const open = url.properties.AuthType === "AWS_IAM" || mayBeInvoked(permissions, lambda);
    if (!open)
      warn(lambda.name, "has a function URL, but no permission lets anyone call it (lambda:InvokeFunctionUrl)");
    const streaming = url.properties.InvokeMode === "RESPONSE_STREAM";
    origins.set(domain, open ? (exchange) => serve(exchange, host, lambda, domain, streaming) : forbid);
  }
  return origins;
}

function mayBeInvoked(permissions: Deployed[], lambda: LambdaFunction): boolean {
  return permissions.some(
    ({ properties }) =>
      properties.Action === "lambda:InvokeFunctionUrl" && functionArn(String(properties.FunctionName)) === lambda.arn,
  );
}

async function forbid(exchange: Exchange): Promise<void> {
  send(exchange, 403, [["content-type", "application/json"]], '{"Message":"Forbidden"}');
}

async function serve(
  exchange: Exchange,
  host: FunctionHost,
  lambda: LambdaFunction,
  domain: string,
  streaming: boolean,
): Promise<void> {
  const { response } = exchange;
  if (exchange.body.length > payloadLimit) return fail(exchange, 413, "Request Entity Too Large");
  const requestId = randomUUID();
  response.setHeader("x-amzn-requestid", requestId);
  const sink = streaming ? new ResponseSink(exchange) : new Collector();
  try {
    const payload = await host.invoke(lambda, urlEvent(exchange, domain, requestId), sink, requestId);
    if (sink instanceof Collector && sink.head) sendStreamed(exchange, sink);
    else if (!sink.started) sendResult(exchange, payload);
  } catch (error) {
    // A response under way cannot be taken back: the client sees it break off.
    if (response.headersSent) response.destroy();
    else fail(exchange, error instanceof FunctionError && error.timedOut ? 504 : 502, "Internal Server Error");
    if (!(error instanceof FunctionError)) warn(lambda.name, String(error));
  }
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-request-payload */
function urlEvent(exchange: Exchange, domainName: string, requestId: string): object {
  const { method, path, query, body, sourceIp } = exchange;
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (const [name, value] of exchange.headers) {
    const key = name.toLowerCase();
    if (key === "cookie") cookies.push(...value.split(/; */).filter(Boolean));
    else headers[key] = headers[key] === undefined ? value : `${headers[key]},${value}`;
  }
  const parameters: Record<string, string> = {};
  for (const [name, value] of queryPairs(query))
    parameters[name] = parameters[name] === undefined ? value : `${parameters[name]},${value}`;
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
      time: logTime(now),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? "base64" : "utf8") }),
    isBase64Encoded,
  };
}

/** Content types whose bodies arrive as text; form posts are not among them. */
function isText(contentType: string): boolean {
  return /^(text\/|application\/(json|javascript|xml|[\w.-]+\+(json|xml))\b)/i.test(contentType.trim());
}

/** Sends a streamed response on, chunk by chunk, as it is written. What comes after the client left is thrown away. */
class ResponseSink implements Sink {
  readonly #exchange: Exchange;
  readonly #response: ServerResponse;
  /** The connection, while it holds back what is written to it. */
  #corked: Socket | null = null;
  started = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#response = exchange.response;
  }

  write(chunk: string | Uint8Array, head: ResponseHead | undefined): boolean {
    if (this.#gone) return true;
    this.#gather();
    if (head) {
      this.started = true;
      writeHead(this.#exchange, head);
    }
    if (chunk.length > 0) return this.#response.write(chunk);
    this.#response.flushHeaders();
    return true;
  }

  /** What comes in one turn of the event loop goes out in one packet, the headers with the first of the body. */
  #gather(): void {
    if (this.#corked) return;
    this.#corked = this.#response.socket;
    this.#corked?.cork();
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#corked?.uncork();
    this.#corked = null;
  }

  onDrain(resume: () => void): void {
    const response = this.#response;
    const proceed = () => {
      response.off("drain", proceed).off("close", proceed);
      resume();
    };
    response.on("drain", proceed).on("close", proceed);
  }

  end(): void {
    if (!this.started) fail(this.#exchange, 502, "Internal Server Error");
    this.started = true;
    this.#response.end();
    this.#flush();
  }

  get #gone(): boolean {
    return this.#response.destroyed;
  }
}

/** Gathers a streamed response for a URL whose mode is BUFFERED. */
class Collector implements Sink {
  head: ResponseHead | undefined;
  readonly chunks: Buffer[] = [];
  started = false;

  write(chunk: string | Uint8Array, head: ResponseHead | undefined): boolean {
    this.started = true;
    this.head ??= head;
    this.chunks.push(Buffer.from(chunk as Uint8Array));
    return true;
  }
  onDrain(): void {}
  end(): void {}
}

function sendStreamed(exchange: Exchange, { head, chunks }: Collector): void {
  if (exchange.response.destroyed) return;
  writeHead(exchange, head ?? {});
  exchange.response.end(Buffer.concat(chunks));
}

function writeHead(exchange: Exchange, { statusCode, headers, cookies }: ResponseHead): void {
  const given = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const lines = given.map(([name, value]): [string, string] => [name, String(value)]);
  for (const cookie of cookies ?? []) lines.push(["set-cookie", cookie]);
  startResponse(exchange, number(statusCode, 200), lines);
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-response-payload */
function sendResult(exchange: Exchange, payload: string): void {
  const result: unknown = JSON.parse(payload);
  if (!isFields(result) || result.statusCode === undefined) {
    send(exchange, 200, [["content-type", "application/json"]], typeof result === "string" ? result : payload);
    return;
  }
  const headers = Object.entries(fields(result.headers)).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  for (const cookie of list(result.cookies)) headers.push(["set-cookie", String(cookie)]);
  if (!headers.some(([name]) => name.toLowerCase() === "content-type"))
    headers.push(["content-type", "application/json"]);
  const body = text(result.body) ?? "";
  const content = result.isBase64Encoded === true ? Buffer.from(body, "base64") : body;
  send(exchange, number(result.statusCode, 502), headers, content);
}

function fail(exchange: Exchange, status: number, message: string): void {
  send(exchange, status, [["content-type", "text/plain"]], message);
}
