import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { errorResponse } from "./errors/error-response.ts";
import { resolveRequestId } from "./request-id.ts";

interface AuthenticatedPrincipal {
  readonly tenantId: string;
}

/** Builds a policy for all methods of the stage, because API Gateway caches it per credential, not per method. */
function createPolicy(
  event: APIGatewayRequestAuthorizerEvent,
  effect: "Allow" | "Deny",
): APIGatewayAuthorizerResult["policyDocument"] {
  const [api, stage] = event.methodArn.split("/");
  return {
    Version: "2012-10-17",
    Statement: [{ Action: "execute-api:Invoke", Effect: effect, Resource: `${api}/${stage}/*/*` }],
  };
}

/**
 * Creates a Lambda authorizer from a credential verifier. An invalid credential is denied, with the complete error
 * response in the authorizer context so that the gateway returns it in the format of the requested API. If the verifier
 * fails for any other reason, the authorizer fails too, which API Gateway turns into a 503.
 * @param crossOrigin allows pages of other origins to read the responses that the gateway itself generates
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorizer(
  verify: (headers: RequestHeaders) => Promise<AuthenticatedPrincipal>,
  { crossOrigin = false } = {},
) {
  return async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const headers = Object.fromEntries(
      Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const corsContext = crossOrigin && headers.origin ? { allow_origin: headers.origin } : {};
    try {
      const principal = await verify(headers);
      return {
        principalId: principal.tenantId,
        policyDocument: createPolicy(event, "Allow"),
        context: { principal: JSON.stringify(principal), ...corsContext },
      };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "unauthorized") throw error;
      const requestId = resolveRequestId(headers["x-request-id"], event.requestContext.requestId);
      const { headers: responseHeaders, body } = errorResponse({ path: event.path }, headers, error, requestId);
      return {
        principalId: "nobody",
        policyDocument: createPolicy(event, "Deny"),
        context: {
          body: String(body),
          content_type: responseHeaders["content-type"],
          request_id: requestId,
          ...corsContext,
        },
      };
    }
  };
}
