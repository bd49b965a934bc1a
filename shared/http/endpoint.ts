import middy from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Route } from "../api/define-route.ts";
import { ServiceError } from "../errors.ts";
import { chain, type EndpointRequest, exchangeOf, requestOf } from "./chain.ts";
import { fromRestApi } from "./http-request.ts";
import type { HttpResponse } from "./problems.ts";
import { type Reply, type ReplyBody, successResponse } from "./reply.ts";
import { trustAuthorizer } from "./steps.ts";

/** The handler of a contract: gives the body of its success reply, or a `Reply` where there is more to say. */
export type Handle<Contract extends Route> = (
  request: EndpointRequest<Contract>,
) => Promise<ReplyBody<Contract> | Reply<ReplyBody<Contract>>>;

/** How long before the function's own end a request is given up, in milliseconds. */
const timeToAnswer = 500;

/** Wraps the handler of a contract into a Lambda function behind the REST API. */
export function endpoint<const Contract extends Route>(contract: Contract, handle: Handle<Contract>) {
  return middy<APIGatewayProxyEvent, HttpResponse>({
    timeoutEarlyInMillis: timeToAnswer,
    timeoutEarlyResponse: () => {
      throw new ServiceError("timeout");
    },
  })
    .use(chain(contract, { read: fromRestApi, identify: [trustAuthorizer] }))
    .handler(async (event: APIGatewayProxyEvent) => {
      const exchange = exchangeOf(event);
      return successResponse(exchange, await handle(requestOf<Contract>(exchange)));
    });
}
