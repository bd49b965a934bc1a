import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { errorResponse } from "./errors/error-response.ts";
import { resolveRequestId } from "./request-id.ts";

/** Somebody a credential was verified to belong to. */
interface Verified {
  readonly tenantId: string;
}

/** API Gateway caches the answer for all methods of the stage, so the policy has to name all of them. */
function policy(
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
 * A Lambda authorizer out of a verifier. A bad credential is denied with the whole answer as context, which the gateway
 * gives as it is, in the words of the surface; while credentials cannot be verified it fails, which becomes a 503.
 * @param crossOrigin whether pages of other origins are to read what the gateway answers in the endpoint's place
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorizer(verify: (headers: RequestHeaders) => Promise<Verified>, { crossOrigin = false } = {}) {
  return async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const headers = Object.fromEntries(
      Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const page = crossOrigin && headers.origin ? { allow_origin: headers.origin } : {};
    try {
      const principal = await verify(headers);
      return {
        principalId: principal.tenantId,
        policyDocument: policy(event, "Allow"),
        context: { principal: JSON.stringify(principal), ...page },
      };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "unauthorized") throw error;
      const requestId = resolveRequestId(headers["x-request-id"], event.requestContext.requestId);
      const { headers: answered, body } = errorResponse({ path: event.path }, headers, error, requestId);
      return {
        principalId: "nobody",
        policyDocument: policy(event, "Deny"),
        context: { body: String(body), content_type: answered["content-type"], request_id: requestId, ...page },
      };
    }
  };
}
