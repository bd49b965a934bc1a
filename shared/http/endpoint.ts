import middy from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Route } from "../api/define-route.ts";
import { ServiceError } from "../lib/errors.ts";
import type { Tenant } from "../tenancy/tenant-store.ts";
import { chain, getRequestContext, toHandlerRequest, type ValidatedRequest } from "./chain.ts";
import type { HttpResponse } from "./errors/problems.ts";
import { fromRestApi } from "./http-request.ts";
import { type Commit, respondOnce } from "./idempotency/idempotency.ts";
import type { Reply, ReplyBody } from "./reply.ts";
import { authenticate, readAuthorizerContext } from "./steps.ts";

/** What the handler of a contract gets to see. */
export interface EndpointRequest<Contract extends Route> extends ValidatedRequest<Contract> {
  /** Makes the handler's writes; with an `Idempotency-Key` together with the record of its answer, or not at all. */
  readonly commit: Commit;
}

/** The handler of a contract: gives the body of its success reply, or a `Reply` where there is more to say. */
export type EndpointHandler<Contract extends Route> = (
  request: EndpointRequest<Contract>,
) => Promise<ReplyBody<Contract> | Reply<ReplyBody<Contract>>>;

/** How long before the function's own end a request is given up, in milliseconds. */
const timeoutMarginMs = 500;

/** Wraps the handler of a contract into a Lambda function behind the REST API. */
export function endpoint<const Contract extends Route>(contract: Contract, handle: EndpointHandler<Contract>) {
  return lambda(contract, (event) => {
    const exchange = getRequestContext(event);
    return respondOnce(exchange, (commit) => handle({ ...toHandlerRequest<Contract>(exchange), commit }));
  });
}

/**
 * An endpoint whose answer holds what must not be stored, not even to be repeated for a retry: a secret, or too much.
 * @param handle gives the answer without it
 * @param reveal adds it, to the first answer and to each repetition
 */
export function secretEndpoint<const Contract extends Route, Stored>(
  contract: Contract,
  handle: (request: EndpointRequest<Contract>) => Promise<Stored | Reply<Stored>>,
  reveal: (
    stored: Stored,
    tenant: Tenant,
    request: ValidatedRequest<Contract>,
  ) => ReplyBody<Contract> | Promise<ReplyBody<Contract>>,
) {
  return lambda(contract, (event) => {
    const exchange = getRequestContext(event);
    return respondOnce(
      exchange,
      (commit) => handle({ ...toHandlerRequest<Contract>(exchange), commit }),
      (stored) => reveal(stored as Stored, exchange.tenant as Tenant, toHandlerRequest<Contract>(exchange)),
    );
  });
}

function lambda(contract: Route, answer: (event: APIGatewayProxyEvent) => Promise<HttpResponse>) {
  return middy<APIGatewayProxyEvent, HttpResponse>({
    timeoutEarlyInMillis: timeoutMarginMs,
    timeoutEarlyResponse: () => {
      throw new ServiceError("timeout");
    },
  })
    .use(
      chain(contract, {
        read: fromRestApi,
        authenticate: [contract.auth === "webhook-signature" ? authenticate : readAuthorizerContext],
      }),
    )
    .handler(answer);
}
