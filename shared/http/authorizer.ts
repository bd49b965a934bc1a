import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { problemPath } from "../api/platform/docs.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { runInTraceContext } from "../lib/tracing/trace-context.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { peerClient, readClient, readHeaders } from "./http-request.ts";
import { readTraceContext } from "./request-id.ts";

interface AuthenticatedPrincipal {
  readonly tenantId: string;
}

/**
 * Builds a policy for all routes of the stage, because API Gateway caches it per credential and applies it to requests
 * of other routes.
 */
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

interface AuthorizerOptions {
  /**
   * Returns true if verification reads the table for this request. Such requests are refused without verification if
   * their address has too many failures. By default, no request reads the table.
   */
  readsTable?(headers: RequestHeaders): boolean;
  /** Returns the names of a denial in the format of the client. By default, they are those of a problem. */
  nameDenial?(path: string, headers: RequestHeaders): DenialNames;
}

/**
 * Values of the gateway response for a denial: the `type` of the body, and that of its object `error`. API Gateway has one
 * template for all paths and inserts the values as they are.
 */
export interface DenialNames {
  readonly type: string;
  readonly error_type: string;
}

const problemNames: DenialNames = { type: problemPath("unauthorized"), error_type: "unauthorized" };

/**
 * Replaces all characters by `'` that would need escaping in JSON, because API Gateway inserts the text into a JSON
 * response as it is.
 */
const unescapedText = (text: string) => text.replace(/[^\x20-\x7e]|["\\]/g, "'");

/**
 * Creates a Lambda authorizer from a credential verifier. An invalid credential is denied, with the reason in the
 * authorizer context, which the gateway inserts into its response. API Gateway caches the context, so it must not
 * contain data of a single request. An address with too many failures is allowed to pass without a principal: the
 * endpoint then responds with 429, because a denial can only become a 401. If the verifier fails for any other reason,
 * the authorizer fails too, which API Gateway turns into a 503.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorizer(
  verify: (headers: RequestHeaders) => Promise<AuthenticatedPrincipal>,
  { readsTable = () => false, nameDenial = () => problemNames }: AuthorizerOptions = {},
) {
  const authorize = async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const peer = peerClient(readHeaders(event.headers), event.requestContext.identity.sourceIp);
    const { headers, address } = await readClient(peer);
    try {
      const principal = await verifyLimited(address, () => verify(headers), {
        readsTable: readsTable(headers),
        headers,
      });
      return {
        principalId: principal.tenantId,
        policyDocument: createPolicy(event, "Allow"),
        context: { principal: JSON.stringify(principal) },
      };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === "rate_limited") {
        const refused_until = Math.floor(now() / 1_000) + Number(error.headers["retry-after"]);
        return {
          principalId: "unauthenticated",
          policyDocument: createPolicy(event, "Allow"),
          context: { refused_until },
        };
      }
      if (error.code !== "unauthorized") throw error;
      return {
        principalId: "unauthenticated",
        policyDocument: createPolicy(event, "Deny"),
        context: { detail: unescapedText(error.message), ...nameDenial(event.path, headers) },
      };
    }
  };
  return (event: APIGatewayRequestAuthorizerEvent) =>
    runInTraceContext(readTraceContext(event), () => authorize(event));
}
