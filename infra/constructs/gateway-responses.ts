import { problemPath } from "../../shared/api/platform/docs.ts";
import { type ProblemCode, problemCodes } from "../../shared/api/problem-codes.ts";
import { securityHeaders } from "../../shared/http/security-headers.ts";
import { ServiceError } from "../../shared/lib/errors.ts";
import { openaiError } from "../../shared/openai/openai-error.ts";
import { isRetryableStatus } from "../../shared/openai/openai-error-response.ts";
import { literalHeaders } from "./integration.ts";

interface GatewayProblem {
  readonly code: ProblemCode;
  /**
   * Plain text of the error. API Gateway inserts it into JSON without escaping, so it must not contain quotes or backslashes.
   */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const unauthorized = (detail: string): GatewayProblem => ({
  code: "unauthorized",
  detail,
  headers: { "WWW-Authenticate": "Bearer" },
});
const missingCredential = unauthorized("This path needs a credential, and the request carries none.");
const invalidCredential = unauthorized("The credential is not valid here.");
const throttled: GatewayProblem = {
  code: "rate_limited",
  detail: "The service as a whole receives too many requests at the moment.",
  headers: { "Retry-After": "1" },
};
const routeNotFound: GatewayProblem = { code: "not_found", detail: "No route has this method and path." };
const internalError: GatewayProblem = { code: "internal_error", detail: "The request could not be processed." };
/**
 * Problem for a function that API Gateway could not invoke, mostly because Lambda throttles it. The function did not get the
 * request.
 */
const functionUnavailable: GatewayProblem = {
  code: "unavailable",
  detail: "The service is busy at the moment.",
  headers: { "Retry-After": "1" },
};
const badRequest: GatewayProblem = { code: "validation_failed", detail: "The request is not acceptable." };

/**
 * Problems for the responses that API Gateway generates without invoking a function, by response type.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const problems: Readonly<Record<string, GatewayProblem>> = {
  ACCESS_DENIED: invalidCredential,
  UNAUTHORIZED: missingCredential,
  EXPIRED_TOKEN: invalidCredential,
  INVALID_API_KEY: invalidCredential,
  INVALID_SIGNATURE: invalidCredential,
  AUTHORIZER_FAILURE: {
    ...functionUnavailable,
    detail: "Credentials cannot be verified at the moment.",
  },
  AUTHORIZER_CONFIGURATION_ERROR: internalError,
  API_CONFIGURATION_ERROR: internalError,
  MISSING_AUTHENTICATION_TOKEN: routeNotFound,
  RESOURCE_NOT_FOUND: routeNotFound,
  BAD_REQUEST_BODY: { code: "malformed_body", detail: "The body cannot be read." },
  BAD_REQUEST_PARAMETERS: badRequest,
  REQUEST_TOO_LARGE: { code: "payload_too_large", detail: "The request is larger than the service takes." },
  UNSUPPORTED_MEDIA_TYPE: { code: "unsupported_media_type", detail: "Send the body as application/json." },
  THROTTLED: throttled,
  QUOTA_EXCEEDED: throttled,
  WAF_FILTERED: badRequest,
  INTEGRATION_FAILURE: functionUnavailable,
  INTEGRATION_TIMEOUT: { code: "timeout", detail: "The request took longer than it may." },
  DEFAULT_4XX: badRequest,
  DEFAULT_5XX: internalError,
};

/**
 * Rate-limit headers of gateway responses, whose requests are not counted. The reset time is 0, because `$context` has no
 * time in epoch seconds.
 */
export const zeroRateLimitHeaders = {
  "X-RateLimit-Limit": "0",
  "X-RateLimit-Remaining": "0",
  "X-RateLimit-Reset": "0",
};

/**
 * Gateway responses after the authorizer ran. Their CORS header allows every origin, because API Gateway documents only
 * literals as header values, and the response tells only the reason for the denial.
 */
const afterAuthorizer = new Set(["ACCESS_DENIED", "INTEGRATION_FAILURE", "INTEGRATION_TIMEOUT"]);

/**
 * Returns the body of an error response. It combines an RFC 9457 problem and OpenAI's `error` object, because API Gateway
 * has one template for all paths.
 */
function errorBody({ code, detail }: GatewayProblem) {
  const { status, title } = problemCodes[code];
  const problem = { type: problemPath(code), title, status, detail, request_id: "$context.requestId", code };
  return { ...problem, ...openaiError(new ServiceError(code, detail)) };
}

/**
 * Returns the body of the response for a denial: the authorizer tells the reason, without characters that JSON would escape,
 * and names the denial as the API of the client does, so that the body also has the form of Anthropic's errors.
 */
function deniedBody(problem: GatewayProblem) {
  const body = errorBody({ ...problem, detail: "$context.authorizer.detail" });
  return {
    ...body,
    type: "$context.authorizer.type",
    error: { ...body.error, type: "$context.authorizer.error_type" },
  };
}

/**
 * Returns the gateway responses of an OpenAPI document, by response type. Header values are literals or the request id, and
 * templates contain simple `$context` variables: forms that AWS documents.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gatewayResponse-definition.html
 */
export function gatewayResponses(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(problems).map(([responseType, problem]) => {
      const { status } = problemCodes[problem.code];
      const body = responseType === "ACCESS_DENIED" ? deniedBody(problem) : errorBody(problem);
      const response = {
        statusCode: String(status),
        responseTemplates: { "application/json": JSON.stringify(body) },
        responseParameters: {
          "gatewayresponse.header.x-request-id": "context.requestId",
          // Header literals cannot contain single quotes, so CloudFront adds the content security policy.
          ...literalHeaders("gatewayresponse.header", {
            "Content-Type": "application/problem+json",
            ...zeroRateLimitHeaders,
            ...securityHeaders,
            // OpenAI clients retry on their own judgment unless this header is present.
            ...(!isRetryableStatus(status) && { "x-should-retry": "false" }),
            ...problem.headers,
            ...(afterAuthorizer.has(responseType) && {
              "Access-Control-Allow-Origin": "*",
              "Access-Control-Expose-Headers": "x-request-id",
            }),
          }),
        },
      };
      return [responseType, response];
    }),
  );
}
