import type { CfnGatewayResponseProps } from "aws-cdk-lib/aws-apigateway";
import { type ProblemCode, problemCodes } from "../../shared/api/problem-codes.ts";
import { securityHeaders } from "../../shared/http/security-headers.ts";
import { literalHeaders } from "./integration.ts";

interface GatewayProblem {
  readonly code: ProblemCode;
  /** Plain text, or a `$context` variable: API Gateway substitutes, it does not escape. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const unauthorized = (detail: string): GatewayProblem => ({
  code: "unauthorized",
  detail,
  headers: { "WWW-Authenticate": "Bearer" },
});
const noCredential = unauthorized("This path needs a credential, and the request carries none.");
const noAccess = unauthorized("The credential is not valid here.");
const tooMany: GatewayProblem = {
  code: "rate_limited",
  detail: "The service as a whole receives too many requests at the moment.",
  headers: { "Retry-After": "1" },
};
const noRoute: GatewayProblem = { code: "not_found", detail: "No route has this method and path." };
const ourFault: GatewayProblem = { code: "internal_error", detail: "The request could not be processed." };
const badRequest: GatewayProblem = { code: "validation_failed", detail: "The request is not acceptable." };

/**
 * What API Gateway answers when it does not come to a function, by the type of its response.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const problems: Readonly<Record<string, GatewayProblem>> = {
  ACCESS_DENIED: noAccess,
  UNAUTHORIZED: noCredential,
  EXPIRED_TOKEN: noAccess,
  INVALID_API_KEY: noAccess,
  INVALID_SIGNATURE: noAccess,
  AUTHORIZER_FAILURE: { code: "unavailable", detail: "Credentials cannot be verified at the moment." },
  AUTHORIZER_CONFIGURATION_ERROR: ourFault,
  API_CONFIGURATION_ERROR: ourFault,
  MISSING_AUTHENTICATION_TOKEN: noRoute,
  RESOURCE_NOT_FOUND: noRoute,
  BAD_REQUEST_BODY: { code: "malformed_body", detail: "The body cannot be read." },
  BAD_REQUEST_PARAMETERS: badRequest,
  REQUEST_TOO_LARGE: { code: "payload_too_large", detail: "The request is larger than the service takes." },
  UNSUPPORTED_MEDIA_TYPE: { code: "unsupported_media_type", detail: "Send the body as application/json." },
  THROTTLED: tooMany,
  QUOTA_EXCEEDED: tooMany,
  WAF_FILTERED: badRequest,
  INTEGRATION_FAILURE: ourFault,
  INTEGRATION_TIMEOUT: { code: "timeout", detail: "The request took longer than it may." },
  DEFAULT_4XX: badRequest,
  DEFAULT_5XX: ourFault,
};

/** Whoever is answered by the gateway has no allowance. Its clock has milliseconds only, so the reset is long past. */
export const noAllowance = { "X-RateLimit-Limit": "0", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0" };

/** An authorizer that refuses says how, in the words of the surface: the gateway passes its answer on. */
const refusal = {
  template: "$context.authorizer.body",
  headers: {
    "gatewayresponse.header.Content-Type": "context.authorizer.content_type",
    "gatewayresponse.header.x-request-id": "context.authorizer.request_id",
  },
};

/** Answers that come when an authorizer has spoken: it knows whether a page of another origin is to read them. */
const afterAuthorizer = new Set(["ACCESS_DENIED", "INTEGRATION_FAILURE", "INTEGRATION_TIMEOUT"]);

const crossOrigin = {
  "gatewayresponse.header.Access-Control-Allow-Origin": "context.authorizer.allow_origin",
  "gatewayresponse.header.Vary": "'Origin'",
};

/** Definitions of all gateway responses, each a problem with the headers every response has. */
export function gatewayResponses(restApiId: string): CfnGatewayResponseProps[] {
  return Object.entries(problems).map(([responseType, { code, detail, headers }]) => {
    const { status, title } = problemCodes[code];
    const type = `/problems/${code.replaceAll("_", "-")}`;
    const body = { type, title, status, detail, request_id: "$context.requestId", code };
    const own = responseType === "ACCESS_DENIED" ? refusal : null;
    return {
      restApiId,
      responseType,
      statusCode: String(status),
      responseTemplates: { "application/json": own?.template ?? JSON.stringify(body) },
      responseParameters: {
        "gatewayresponse.header.x-request-id": "context.requestId",
        // A literal cannot contain quotes: the content security policy is left to the edge.
        ...literalHeaders("gatewayresponse.header", {
          "Content-Type": "application/problem+json",
          ...noAllowance,
          ...securityHeaders,
          ...headers,
        }),
        ...(afterAuthorizer.has(responseType) && crossOrigin),
        ...own?.headers,
      },
    };
  });
}
