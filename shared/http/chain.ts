import type { MiddlewareObj } from "@middy/core";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { GenericSchema, InferOutput } from "valibot";
import type { Route } from "../api/define-route.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { asServiceError } from "../lib/as-service-error.ts";
import type { AccessRights } from "../tenancy/permissions.ts";
import type { Tenant } from "../tenancy/tenant-store.ts";
import { isCrossOrigin, preflightHeaders } from "./cross-origin.ts";
import { errorResponse } from "./errors/error-response.ts";
import type { HttpResponse } from "./errors/problems.ts";
import { type Exchange, openExchange, type PrincipalByAuth } from "./exchange.ts";
import type { Headers, HttpRequest } from "./http-request.ts";
import { withCommonHeaders } from "./reply.ts";
import {
  checkInput,
  checkOrigin,
  checkRawBody,
  limitRate,
  recordCaller,
  requireCapability,
  requireScope,
  type Step,
} from "./steps.ts";

type Checked<Schema> = Schema extends GenericSchema ? InferOutput<Schema> : undefined;

/** What every handler gets to see: all of it verified, checked and typed by its contract. */
export interface CheckedRequest<Contract extends Route> {
  readonly principal: PrincipalByAuth[Contract["auth"]];
  readonly tenant: Contract["auth"] extends "none" ? null : Tenant;
  readonly embedKey: Contract["auth"] extends "embed-key" ? EmbedKey : null;
  /** The caller's roles, groups and permissions. */
  readonly rights: () => Promise<AccessRights>;
  readonly params: Checked<Contract["params"]>;
  readonly query: Checked<Contract["query"]>;
  readonly body: Checked<Contract["body"]>;
  readonly headers: Headers;
  /** Address of the client, as far as it can be known. */
  readonly address: string;
  /** The body, byte for byte as it was sent. */
  readonly rawBody: Buffer;
  /** Of the request: what it is where the contract says `ANY`. */
  readonly method: string;
  readonly requestId: string;
}

const exchanges = new WeakMap<object, Exchange>();

/** The exchange that the chain opened for an event. */
export function exchangeOf(event: object): Exchange {
  const exchange = exchanges.get(event);
  if (!exchange) throw new Error("The event has no exchange");
  return exchange;
}

/** The exchange as the handler of its contract sees it. */
export function requestOf<Contract extends Route>(exchange: Exchange): CheckedRequest<Contract> {
  const { principal, tenant, embedKey, rights, input, http, requestId } = exchange;
  return {
    principal,
    tenant,
    embedKey,
    rights,
    ...input,
    headers: http.headers,
    address: http.address,
    rawBody: http.rawBody,
    method: http.method,
    requestId,
  } as CheckedRequest<Contract>;
}

/** What AWS's two event formats have in common. */
export interface HttpEvent {
  body?: string | null;
  headers?: unknown;
  readonly isBase64Encoded: boolean;
}

/** How a chain gets to know its request and its caller. */
export interface Entrance<Event extends HttpEvent> {
  read(event: Event): HttpRequest;
  readonly identify: readonly Step[];
}

/**
 * The chain every endpoint has. Steps run top to bottom; what one throws, or the handler, is answered as a problem.
 * The rate is limited before the body is looked at, so that rubbish counts as well and its answer says what is left.
 */
export function chain<Event extends HttpEvent>(
  contract: Route,
  { read, identify }: Entrance<Event>,
): MiddlewareObj<Event, HttpResponse>[] {
  type Middleware = MiddlewareObj<Event, HttpResponse>;
  const step = (run: Step): Middleware => ({ before: ({ event }) => run(exchangeOf(event)) });
  const open: Middleware = { before: ({ event }) => void exchanges.set(event, openExchange(contract, read(event))) };
  const finish: Middleware = {
    after: (request) => {
      request.response = request.response && withCommonHeaders(request.response, exchangeOf(request.event));
    },
    onError: (request) => {
      const exchange = exchangeOf(request.event);
      const error = asServiceError(request.error, exchange.requestId);
      const { headers, path } = exchange.http;
      // By the path that was asked for: where no route is, the contract has none of the surface's.
      const response = errorResponse({ ...contract, path }, headers, error, exchange.requestId);
      request.response = withCommonHeaders(response, exchange);
    },
  };
  const preflight: Middleware = {
    before: ({ event }) => {
      const exchange = exchangeOf(event);
      if (exchange.http.method !== "OPTIONS") return undefined;
      return withCommonHeaders({ statusCode: 204, headers: preflightHeaders, body: "" }, exchange);
    },
  };
  const body: Middleware[] = contract.body
    ? [
        {
          before: ({ event }) => {
            checkRawBody(event.body, event.isBase64Encoded);
            // The parser knows two spellings of `Content-Type`, clients any.
            event.headers = exchangeOf(event).http.headers;
          },
        },
        httpJsonBodyParser() as unknown as Middleware,
      ]
    : [];
  const input: Middleware = { before: ({ event }) => checkInput(exchangeOf(event), event.body) };
  return [
    open,
    finish,
    ...(isCrossOrigin(contract) ? [preflight] : []),
    ...identify.map(step),
    step(recordCaller),
    step(checkOrigin),
    step(limitRate),
    ...body,
    step(requireCapability),
    step(requireScope),
    input,
  ];
}
