import { type Fields, fields, number, text } from "../json.ts";
import { type Exchange, header, queryPairs, send } from "./gateway-request.ts";

/** Status and message of each kind of answer that API Gateway gives by itself. */
const defaults = {
  ACCESS_DENIED: [403, "User is not authorized to access this resource"],
  API_CONFIGURATION_ERROR: [500, "Internal server error"],
  AUTHORIZER_CONFIGURATION_ERROR: [500, "Internal server error"],
  AUTHORIZER_FAILURE: [500, "Internal server error"],
  INTEGRATION_FAILURE: [502, "Internal server error"],
  INTEGRATION_TIMEOUT: [504, "Endpoint request timed out"],
  MISSING_AUTHENTICATION_TOKEN: [403, "Missing Authentication Token"],
  REQUEST_TOO_LARGE: [413, "Request Too Long"],
  UNAUTHORIZED: [401, "Unauthorized"],
} as const satisfies Record<string, [status: number, message: string]>;

/** The kinds of gateway response that can happen here. */
export type ResponseType = keyof typeof defaults;

/** A request that API Gateway answers by itself, without or instead of the integration. */
export class GatewayError extends Error {
  override name = "GatewayError";
  readonly responseType: ResponseType;
  /** The context of the authorizer that refused, for the template. */
  readonly authorizer: Record<string, string>;
  constructor(responseType: ResponseType, message?: string, authorizer: Record<string, string> = {}) {
    super(message ?? defaults[responseType][1]);
    this.responseType = responseType;
    this.authorizer = authorizer;
  }
}

/** `$context` of a request: its members, nested ones included. */
export type RequestContext = Fields;

/**
 * Answers with the API's gateway response for the error, by type, else its `DEFAULT_4XX` or `DEFAULT_5XX`, else API Gateway's own.
 * Templates and header values are plain substitution; a header whose value is missing is left out.
 * @param responses properties of `AWS::ApiGateway::GatewayResponse`, by response type
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export function sendGatewayResponse(
  exchange: Exchange,
  responses: Map<string, Fields>,
  error: GatewayError,
  context: RequestContext,
  parameters: Record<string, string> = {},
): void {
  const usual = defaults[error.responseType][0];
  const configured =
    responses.get(error.responseType) ?? responses.get(usual < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX") ?? {};
  const values: RequestContext = {
    ...context,
    authorizer: { ...fields(context.authorizer), ...error.authorizer },
    error: {
      message: error.message,
      messageString: JSON.stringify(error.message),
      responseType: error.responseType,
    },
  };
  const lookUp = (expression: string) => mappedValue(expression, exchange, values, parameters);

  const templates = Object.entries(fields(configured.ResponseTemplates));
  const accepted = header(exchange, "accept");
  const [contentType, template] = templates.find(([type]) => type === accepted) ??
    templates.find(([type]) => type === "application/json") ??
    templates[0] ?? ["application/json", '{"message":$context.error.messageString}'];
  const headers = new Map([
    ["content-type", contentType],
    ["x-amzn-errortype", errorTypes[error.responseType]],
  ]);
  for (const [target, source] of Object.entries(fields(configured.ResponseParameters))) {
    const name = /^gatewayresponse\.header\.(.+)$/.exec(target)?.[1]?.toLowerCase();
    const value = lookUp(String(source));
    if (name && value !== undefined) headers.set(name, value);
  }
  const body = String(template).replace(
    /\$((?:context|method|stageVariables)\.[\w.-]*\w)/g,
    (_, name) => lookUp(name) ?? "",
  );
  send(exchange, number(configured.StatusCode, usual), [...headers], body);
}

const errorTypes: Record<ResponseType, string> = {
  ACCESS_DENIED: "AccessDeniedException",
  API_CONFIGURATION_ERROR: "InternalServerErrorException",
  AUTHORIZER_CONFIGURATION_ERROR: "AuthorizerConfigurationException",
  AUTHORIZER_FAILURE: "AuthorizerFailureException",
  INTEGRATION_FAILURE: "InternalServerErrorException",
  INTEGRATION_TIMEOUT: "InternalServerErrorException",
  MISSING_AUTHENTICATION_TOKEN: "MissingAuthenticationTokenException",
  REQUEST_TOO_LARGE: "RequestTooLargeException",
  UNAUTHORIZED: "UnauthorizedException",
};

/** What a mapping stands for: `'static'`, `context.a.b`, or `method.request.(header|querystring|path).name`. */
export function mappedValue(
  expression: string,
  exchange: Exchange,
  context: RequestContext,
  parameters: Record<string, string>,
): string | undefined {
  if (/^'.*'$/s.test(expression)) return expression.slice(1, -1);
  const [root, ...path] = expression.split(".");
  if (root === "context") {
    let value: unknown = context;
    for (const name of path) value = fields(value)[name];
    return text(value);
  }
  const name = path.slice(2).join(".");
  if (expression.startsWith("method.request.header.")) return header(exchange, name.toLowerCase());
  if (expression.startsWith("method.request.path.")) return parameters[name];
  if (expression.startsWith("method.request.querystring."))
    return queryPairs(exchange.query).find(([each]) => each === name)?.[1];
  return undefined;
}
