import { type Fields, fields, number, text } from "../json.ts";
import { type GatewayRequest, header, queryPairs, sendResponse } from "./gateway-request.ts";

/** Default status and message of the responses that API Gateway generates itself, by response type. */
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

/** Types of gateway responses that the local gateway can send. */
type ResponseType = keyof typeof defaults;

/** Error for a request that API Gateway answers itself, before or instead of the integration. */
export class GatewayError extends Error {
  override name = "GatewayError";
  readonly responseType: ResponseType;
  /** Context of the authorizer that denied access, for the response template. */
  readonly authorizer: Record<string, string>;
  constructor(responseType: ResponseType, message?: string, authorizer: Record<string, string> = {}) {
    super(message ?? defaults[responseType][1]);
    this.responseType = responseType;
    this.authorizer = authorizer;
  }
}

/** Values of the `$context` variables of a request; they can be nested. */
type RequestContext = Fields;

/**
 * Sends the gateway response for an error: the one of its type, else `DEFAULT_4XX` or `DEFAULT_5XX`, else API Gateway's
 * default. Inserts variables without escaping them, as API Gateway does. Leaves out headers whose value is missing.
 * @param responses extension `x-amazon-apigateway-gateway-responses` of the API, by response type
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export function sendGatewayResponse(
  request: GatewayRequest,
  responses: Fields,
  error: GatewayError,
  context: RequestContext,
  parameters: Record<string, string> = {},
): void {
  const defaultStatus = defaults[error.responseType][0];
  const configured = fields(
    responses[error.responseType] ?? responses[defaultStatus < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX"],
  );
  const values: RequestContext = {
    ...context,
    authorizer: { ...fields(context.authorizer), ...error.authorizer },
    error: {
      message: error.message,
      messageString: JSON.stringify(error.message),
      responseType: error.responseType,
    },
  };
  const evaluate = (expression: string) => evaluateMapping(expression, request, values, parameters);

  const templates = Object.entries(fields(configured.responseTemplates));
  const accept = header(request, "accept");
  const [contentType, template] = templates.find(([type]) => type === accept) ??
    templates.find(([type]) => type === "application/json") ??
    templates[0] ?? ["application/json", '{"message":$context.error.messageString}'];
  const headers = new Map([
    ["content-type", contentType],
    ["x-amzn-errortype", errorTypes[error.responseType]],
  ]);
  for (const [target, source] of Object.entries(fields(configured.responseParameters))) {
    const name = /^gatewayresponse\.header\.(.+)$/.exec(target)?.[1]?.toLowerCase();
    const value = evaluate(String(source));
    if (name && value !== undefined) headers.set(name, value);
  }
  const body = String(template).replace(
    /\$((?:context|method|stageVariables)\.[\w.-]*\w)/g,
    (_, name) => evaluate(name) ?? "",
  );
  sendResponse(request, number(configured.statusCode, defaultStatus), [...headers], body);
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

/** Evaluates a mapping expression: `'static'`, `context.a.b`, or `method.request.(header|querystring|path).name`. */
export function evaluateMapping(
  expression: string,
  request: GatewayRequest,
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
  if (expression.startsWith("method.request.header.")) return header(request, name.toLowerCase());
  if (expression.startsWith("method.request.path.")) return parameters[name];
  if (expression.startsWith("method.request.querystring.")) {
    return queryPairs(request.query).find(([parameter]) => parameter === name)?.[1];
  }
  return undefined;
}
