import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AwsException } from "./aws-json.ts";
import { serveObject } from "./buckets/bucket-api.ts";
import type { Bucket } from "./buckets/buckets.ts";
import { Failure, messageOf } from "./failure.ts";
import { findDenial } from "./functions/authorization.ts";
import type { FunctionHost } from "./functions/function-host.ts";
import { invokeFunction } from "./functions/lambda-api.ts";
import { functionArn, type LambdaFunction } from "./functions/lambda-function.ts";
import { decode, readBody } from "./gateway/gateway-request.ts";
import { fields, text } from "./json.ts";
import { warn } from "./log.ts";
import type { Queue } from "./queues/queue.ts";
import { callSqs } from "./queues/queue-api.ts";
import type { SecretsManager } from "./secrets/secrets-manager.ts";

/** AWS services that the internal server emulates. */
interface Services {
  host: FunctionHost;
  queues: Map<string, Queue>;
  buckets: Map<string, Bucket>;
  secrets?: SecretsManager;
}

/** Internal HTTP server. Functions call SQS, S3, Lambda and Secrets Manager on it, and clients use its presigned URLs. */
export class ServiceServer {
  readonly #server: Server;
  readonly #token: string;
  #services: Services | undefined;

  private constructor(token: string) {
    this.#token = token;
    this.#server = createServer(
      { keepAliveTimeout: 65_000 },
      (request, response) => void this.#handle(request, response),
    );
  }

  /**
   * Starts to listen.
   * @param token value that the path `/runner` returns, by which other runners recognize this one
   * @param port port of the server, which presigned URLs name; 0 selects a free one
   * @throws Failure if the port is in use
   */
  static async listen(token: string, port = 0): Promise<ServiceServer> {
    const server = new ServiceServer(token);
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", (error) => reject(new Failure(`Port ${port} of FILES_PORT: ${messageOf(error)}`)));
      server.#server.listen(port, "127.0.0.1", resolve);
    });
    return server;
  }

  /** Host and port, such as `127.0.0.1:45513`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  serve(services: Services): void {
    this.#services = services;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? "/";
    try {
      if (url === "/runner") response.end(this.#token);
      else if (this.#services) await route(this.#services, `http://${this.address}`, url, request, response);
      else response.writeHead(503).end();
    } catch (error) {
      const name = error instanceof AwsException ? error.name : "InternalFailure";
      if (!(error instanceof AwsException)) warn("services", `${url}: ${messageOf(error)}`);
      response.writeHead(error instanceof AwsException ? 400 : 500, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ __type: name, message: messageOf(error) }));
    }
  }
}

async function route(
  services: Services,
  baseUrl: string,
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const authorizeObject = (caller: string, action: string, arn: string) =>
    requirePermission(services.host.find(caller), action, arn);
  if (await serveObject(services.buckets, request, response, authorizeObject)) return;
  const body = (await readBody(request, 16 * 1024 * 1024)).toString();
  const caller = services.host.find(accessKey(request));
  const target = text(request.headers["x-amz-target"]) ?? "";
  const functionName = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(url)?.[1];
  if (functionName) {
    const name = decode(functionName);
    requirePermission(caller, "lambda:InvokeFunction", functionArn(name));
    const reply = await invokeFunction(
      services.host,
      name,
      text(request.headers["x-amz-invocation-type"]) ?? "RequestResponse",
      body,
    );
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(reply.body);
    return;
  }
  const [service, operation = ""] = target.split(".");
  if (service === "secretsmanager" && services.secrets) {
    const authorize = (arn: string) => requirePermission(caller, `secretsmanager:${operation}`, arn);
    const output = services.secrets.call(operation, fields(JSON.parse(body)), authorize);
    response.writeHead(200, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(output));
    return;
  }
  if (service !== "AmazonSQS") {
    throw new AwsException("UnknownOperationException", `No local service handles ${target || url}`);
  }
  const input = fields(JSON.parse(body || "{}"));
  const queues = [...services.queues.values()];
  const queue = queues.find(({ options }) => options.name === text(input.QueueUrl)?.split("/").at(-1));
  if (queue) requirePermission(caller, `sqs:${operation.replace(/Batch$/, "")}`, queue.options.arn);
  const output = await callSqs(queues, baseUrl, operation, input);
  response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(output));
}

/**
 * Returns the access key of a request. Functions use their own name; any other key is that of a developer tool with full
 * access.
 */
function accessKey(request: IncomingMessage): string {
  return /Credential=([^/,]+)\//.exec(request.headers.authorization ?? "")?.[1] ?? "";
}

function requirePermission(caller: LambdaFunction | undefined, action: string, resource: string): void {
  const denial = caller && findDenial(caller.role, { action, resource });
  if (denial) throw new AwsException("AccessDeniedException", denial);
}
