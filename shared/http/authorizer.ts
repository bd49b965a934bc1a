import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { errorResponse } from "./errors/error-response.ts";
import { lowerCaseNames, readClient } from "./http-request.ts";
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

/** Settings of a Lambda authorizer. */
interface AuthorizerOptions {
  /** Allows pages of other origins to read the responses that the gateway itself generates. */
  readonly isCrossOrigin?: boolean;
  /** True if the verifier reads the table, which an address with too many failures must not cause. */
  readonly readsTable?: boolean;
}

/**
 * Creates a Lambda authorizer from a credential verifier. An invalid credential is denied, with the complete error
 * response in the authorizer context so that the gateway returns it in the format of the requested API. An address with
 * too many failures is allowed to pass without a principal: the endpoint then responds with 429, because a denial can
 * only become a 401. If the verifier fails for any other reason, the authorizer fails too, which API Gateway turns into
 * a 503.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorizer(
  verify: (headers: RequestHeaders) => Promise<AuthenticatedPrincipal>,
  { isCrossOrigin = false, readsTable = false }: AuthorizerOptions = {},
) {
  return async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const headers = lowerCaseNames(event.headers);
    const corsContext = isCrossOrigin && headers.origin ? { allow_origin: headers.origin } : {};
    const { address } = readClient(headers, event.requestContext.identity.sourceIp);
    try {
      const principal = await verifyLimited(address, () => verify(headers), { blocksBefore: readsTable });
      return {
        principalId: principal.tenantId,
        policyDocument: createPolicy(event, "Allow"),
        context: { principal: JSON.stringify(principal), ...corsContext },
      };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === "rate_limited") {
        const refused_until = Math.floor(now() / 1_000) + Number(error.headers["retry-after"]);
        return {
          principalId: "nobody",
          policyDocument: createPolicy(event, "Allow"),
          context: { refused_until, ...corsContext },
        };
      }
      if (error.code !== "unauthorized") throw error;
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
