import { settings } from "#shared/lib/env.ts";

/** A request as API Gateway hands it to a function (payload 1.0), with what its authorizer said. */
export interface RestRequest {
  readonly method?: string;
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** As a gateway sends what it takes for no text. */
  readonly isBase64Encoded?: boolean;
  readonly principal?: unknown;
}

/** The event of a request. */
export function restEvent({ method = "POST", path, params = {}, headers = {}, principal, ...given }: RestRequest) {
  const body = Buffer.from(given.body);
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
    body: body.toString(given.isBase64Encoded ? "base64" : "utf8"),
    isBase64Encoded: given.isBase64Encoded ?? false,
  };
}

type Handler = (event: never, context: never) => Promise<unknown>;

/** Calls a handler of this process as Lambda would. */
export async function invoke(handler: unknown, request: RestRequest) {
  const context = { getRemainingTimeInMillis: () => 29_000 };
  const answer = await (handler as Handler)(restEvent(request) as never, context as never);
  const { statusCode, headers, body } = answer as { statusCode: number; headers: Record<string, string>; body: string };
  return { status: statusCode, headers, body: body ? JSON.parse(body) : undefined };
}

/** Gives this process the environment of a function, as far as settings go. */
export function setFunctionEnvironment(more: Readonly<Record<string, string>> = {}): void {
  const defaults = Object.assign({}, ...Object.values(settings));
  Object.assign(
    process.env,
    defaults,
    { STAGE: "local", SERVICE_VERSION: "0", APP_SECRET: "x".repeat(64), ORIGIN_SECRET: "o".repeat(64) },
    more,
  );
}
