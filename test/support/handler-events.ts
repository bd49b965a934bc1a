import { settings } from "#shared/lib/env.ts";

/** Request as API Gateway passes it to a function (payload 1.0), with the authorizer's principal. */
export interface RestRequest {
  readonly method?: string;
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Set by API Gateway for binary bodies. */
  readonly isBase64Encoded?: boolean;
  readonly principal?: unknown;
}

/** Builds the REST API event of a request. */
export function restEvent({ method = "POST", path, params = {}, headers = {}, principal, ...request }: RestRequest) {
  const body = Buffer.from(request.body);
  return {
    httpMethod: method,
    path,
    headers: { "Content-Type": "application/json", ...headers },
    queryStringParameters: null,
    pathParameters: params,
    requestContext: {
      requestId: "00000000-0000-0000-0000-000000000000",
      identity: { sourceIp: "127.0.0.1" },
      authorizer: principal === undefined ? {} : { principal: JSON.stringify(principal) },
    },
    body: body.toString(request.isBase64Encoded ? "base64" : "utf8"),
    isBase64Encoded: request.isBase64Encoded ?? false,
  };
}

type Handler = (event: never, context: never) => Promise<unknown>;

/** Invokes a handler in this process as Lambda does. */
export async function invoke(handler: unknown, request: RestRequest) {
  const context = { getRemainingTimeInMillis: () => 29_000 };
  const response = await (handler as Handler)(restEvent(request) as never, context as never);
  const { statusCode, headers, body } = response as {
    statusCode: number;
    headers: Record<string, string>;
    body: string;
  };
  return { status: statusCode, headers, body: body ? JSON.parse(body) : undefined };
}

/** Sets a function's settings in the environment of this process. */
export function setFunctionEnvironment(overrides: Readonly<Record<string, string>> = {}): void {
  const defaults = Object.assign({}, ...Object.values(settings));
  Object.assign(
    process.env,
    defaults,
    { STAGE: "local", SERVICE_VERSION: "0", APP_SECRET: "x".repeat(64), ORIGIN_SECRET: "o".repeat(64) },
    overrides,
  );
}
