import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { text as readText } from "node:stream/consumers";
import { now } from "../clock.ts";
import { getAwsSettings } from "../env.ts";
import { retry } from "../retry.ts";
import { requestSigner, type UnsignedRequest } from "./signature-v4.ts";

/** An error response of an AWS service; `name` is the exception's name in the service's documentation. */
export class AwsError extends Error {
  readonly status: number;
  /** The parsed response body. */
  readonly response: Readonly<Record<string, unknown>>;

  constructor(status: number, response: Readonly<Record<string, unknown>>, errorType?: string) {
    super(String(response.message ?? response.Message ?? `The service returned status ${status}`));
    this.name = String(response.__type ?? errorType ?? "UnknownError")
      .replace(/^[^#]*#/, "")
      .replace(/:.*/s, "");
    this.status = status;
    this.response = response;
  }
}

/** Names of error responses to throttled requests, which may succeed when retried. */
export const retryableErrorNames: ReadonlySet<string> = new Set([
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "ThrottlingException",
]);

const networkErrorCodes: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"]);

function isRetryable(error: unknown): boolean {
  if (error instanceof AwsError)
    return error.status >= 500 || error.status === 429 || retryableErrorNames.has(error.name);
  return error instanceof Error && "code" in error && networkErrorCodes.has(String(error.code));
}

/** An AWS service and the limits of calls to it. */
interface AwsClientOptions {
  /** Suffix of the environment variable that replaces the service's endpoint: `SQS` in `AWS_ENDPOINT_URL_SQS`. */
  readonly environmentName: string;
  /** First label of the service's host name, such as `bedrock-runtime`. */
  readonly hostPrefix: string;
  /** Service name in the scope of Signature Version 4, such as `bedrock`; it can differ from `hostPrefix`. */
  readonly signingName: string;
  /** Region of the service; by default that of the function. */
  readonly region?: string | undefined;
  /** Maximum time without data on the connection; then the attempt fails and is retried. */
  readonly timeoutMs: number;
  /** Maximum number of attempts of one call, including the first. */
  readonly maxAttempts: number;
}

/**
 * Sends a signed POST request and returns the parsed JSON response.
 * @throws AwsError for an error response, or the network error
 */
export type AwsClient = (request: UnsignedRequest) => Promise<Record<string, unknown>>;

async function parseResponse(response: IncomingMessage): Promise<Record<string, unknown>> {
  const status = response.statusCode ?? 0;
  const text = await readText(response);
  if (status === 200) return JSON.parse(text) as Record<string, unknown>;
  // A proxy or load balancer in front of the service may answer with HTML instead of JSON.
  const body = text.startsWith("{") ? JSON.parse(text) : { message: text.slice(0, 200) };
  const errorType = response.headers["x-amzn-errortype"];
  throw new AwsError(status, body, typeof errorType === "string" ? errorType : undefined);
}

/**
 * Returns a client for one AWS service with JSON requests by POST. It retries throttling, server errors and network errors
 * with exponential backoff and full jitter. It reads the credentials of the function once, because Lambda does not change
 * them while the process lives.
 */
export function awsClient(options: AwsClientOptions): AwsClient {
  const { timeoutMs, maxAttempts } = options;
  const settings = { ...getAwsSettings(options.environmentName), ...(options.region && { region: options.region }) };
  const url = new URL(settings.endpoint ?? `https://${options.hostPrefix}.${settings.region}.amazonaws.com`);
  const sign = requestSigner(options.signingName, url.host, settings);
  const isTls = url.protocol === "https:";
  const agentOptions = { keepAlive: true, maxSockets: 256 };
  const agent = isTls ? new HttpsAgent(agentOptions) : new Agent(agentOptions);
  const openRequest = isTls ? httpsRequest : httpRequest;
  const { hostname, port } = url;
  const basePath = url.pathname.replace(/\/$/, "");

  const timeoutError = () =>
    Object.assign(new Error(`No response from ${hostname} within ${timeoutMs} ms`), {
      name: "TimeoutError",
      code: "ETIMEDOUT",
    });

  const send = (unsigned: UnsignedRequest) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const { body } = unsigned;
      const path = `${basePath}${unsigned.path}`;
      const headers = sign({ ...unsigned, path }, new Date(now()));
      headers["content-length"] = String(Buffer.byteLength(body));
      const request = openRequest({ agent, method: "POST", hostname, port, path, headers, timeout: timeoutMs });
      request.on("response", (response) => parseResponse(response).then(resolve, reject));
      request.on("timeout", () => request.destroy(timeoutError()));
      request.on("error", reject);
      request.end(body);
    });

  return (request) => retry(() => send(request), { maxAttempts, isRetryable });
}

/** Client for a service that speaks the AWS JSON 1.0 protocol, where the operation is a header. */
export function awsJsonClient(
  targetPrefix: string,
  options: AwsClientOptions,
): (operation: string, body: string) => Promise<Record<string, unknown>> {
  const client = awsClient(options);
  return (operation, body) =>
    client({
      path: "/",
      headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `${targetPrefix}.${operation}` },
      body,
    });
}
