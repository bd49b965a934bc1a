import middy from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Route } from "../api/define-route.ts";
import { ServiceError } from "../lib/errors.ts";
import { enterTraceContext } from "../lib/tracing/trace-context.ts";
import type { Tenant } from "../tenancy/tenant-store.ts";
import { chain, type EndpointOptions, getRequestContext, toHandlerRequest, type ValidatedRequest } from "./chain.ts";
import type { HttpResponse } from "./errors/problems.ts";
import { fromRestApi } from "./http-request.ts";
import { type Operation, respondOnce } from "./idempotency/idempotency.ts";
import type { Reply, ReplyBody } from "./reply.ts";
import { readTraceContext } from "./request-id.ts";
import { readAuthorizerContext } from "./steps.ts";

/** Request that the handler of an endpoint receives, with the functions to perform its operation idempotently. */
interface EndpointRequest<Contract extends Route> extends ValidatedRequest<Contract>, Operation {}

/** Handler of a contract. Returns the body of the success response, or a `Reply` to set status and headers. */
type EndpointHandler<Contract extends Route> = (
  request: EndpointRequest<Contract>,
) => Promise<ReplyBody<Contract> | Reply<ReplyBody<Contract>>>;

/** Time before the Lambda timeout at which a request is aborted, so that the caller still gets a response. */
const timeoutMarginMs = 500;

/**
 * Wraps the handler of a contract into a Lambda function behind the REST API.
 * @param options options of the feature, such as a step that verifies a webhook's signature
 */
export function endpoint<const Contract extends Route>(
  contract: Contract,
  handle: EndpointHandler<Contract>,
  options?: EndpointOptions,
) {
  const respond = (event: APIGatewayProxyEvent) => {
    const context = getRequestContext(event);
    return respondOnce(context, (operation) => handle({ ...toHandlerRequest<Contract>(context), ...operation }));
  };
  return createHandler(contract, respond, options);
}

/**
 * Wraps a handler whose response must not be stored for idempotent retries, because it contains a secret or is too
 * large.
 * @param handle returns the part of the body that may be stored
 * @param reveal adds the rest of the body, for the first response and for every replay
 */
export function secretEndpoint<const Contract extends Route, Stored>(
  contract: Contract,
  handle: (request: EndpointRequest<Contract>) => Promise<Stored | Reply<Stored>>,
  reveal: (
    stored: Stored,
    tenant: Tenant,
    request: ValidatedRequest<Contract>,
  ) => ReplyBody<Contract> | Promise<ReplyBody<Contract>>,
  options?: EndpointOptions,
) {
  const respond = (event: APIGatewayProxyEvent) => {
    const context = getRequestContext(event);
    return respondOnce(
      context,
      (operation) => handle({ ...toHandlerRequest<Contract>(context), ...operation }),
      (stored) => reveal(stored as Stored, context.tenant as Tenant, toHandlerRequest<Contract>(context)),
    );
  };
  return createHandler(contract, respond, options);
}

function createHandler(
  contract: Route,
  respond: (event: APIGatewayProxyEvent) => Promise<HttpResponse>,
  { authenticate = readAuthorizerContext, ...options }: EndpointOptions = {},
) {
  return middy<APIGatewayProxyEvent, HttpResponse>({
    requestStart: ({ event }) => enterTraceContext(readTraceContext(event as APIGatewayProxyEvent)),
    timeoutEarlyInMillis: timeoutMarginMs,
    timeoutEarlyResponse: () => {
      throw new ServiceError("timeout");
    },
  })
    .use(
      chain(contract, {
        read: fromRestApi,
        authenticate: [authenticate],
        ...options,
      }),
    )
    .handler(respond);
}
