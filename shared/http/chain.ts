import type { MiddlewareObj } from "@middy/core";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { GenericSchema, InferOutput } from "valibot";
import type { Route } from "../api/define-route.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { asServiceError } from "../lib/as-service-error.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import type { AccessRights } from "../tenancy/permissions.ts";
import type { Tenant } from "../tenancy/tenant-store.ts";
import { isCorsEnabled, preflightHeaders } from "./cors.ts";
import { errorResponse } from "./errors/error-response.ts";
import type { HttpResponse } from "./errors/problems.ts";
import type { HttpRequest } from "./http-request.ts";
import { withCommonHeaders } from "./reply.ts";
import { createRequestContext, type PrincipalByAuth, type RequestContext } from "./request-context.ts";
import {
  enforceRateLimit,
  recordCaller,
  requireAllowedOrigin,
  requireBody,
  requireCapability,
  requireScope,
  type Step,
  validateInput,
} from "./steps.ts";

type Validated<Schema> = Schema extends GenericSchema ? InferOutput<Schema> : undefined;

/** What every handler gets to see: all of it verified, checked and typed by its contract. */
export interface ValidatedRequest<Contract extends Route> {
  readonly principal: PrincipalByAuth[Contract["auth"]];
  readonly tenant: Contract["auth"] extends "none" ? null : Tenant;
  readonly embedKey: Contract["auth"] extends "embed-key" ? EmbedKey : null;
  /** The caller's roles, groups and permissions. */
  readonly rights: () => Promise<AccessRights>;
  readonly params: Validated<Contract["params"]>;
  readonly query: Validated<Contract["query"]>;
  readonly body: Validated<Contract["body"]>;
  readonly headers: RequestHeaders;
  /** Address of the client, as far as it can be known. */
  readonly address: string;
  /** The body, byte for byte as it was sent. */
  readonly rawBody: Buffer;
  /** Of the request: what it is where the contract says `ANY`. */
  readonly method: string;
  readonly requestId: string;
}

const contexts = new WeakMap<object, RequestContext>();

/** The exchange that the chain opened for an event. */
export function getRequestContext(event: object): RequestContext {
  const exchange = contexts.get(event);
  if (!exchange) throw new Error("The event has no exchange");
  return exchange;
}

/** The exchange as the handler of its contract sees it. */
export function toHandlerRequest<Contract extends Route>(exchange: RequestContext): ValidatedRequest<Contract> {
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
  } as ValidatedRequest<Contract>;
}

/** What AWS's two event formats have in common. */
export interface HttpEvent {
  body?: string | null;
  headers?: unknown;
  readonly isBase64Encoded: boolean;
}

/** How a chain gets to know its request and its caller. */
export interface EventAdapter<Event extends HttpEvent> {
  read(event: Event): HttpRequest;
  readonly authenticate: readonly Step[];
}

/**
 * The chain every endpoint has. Steps run top to bottom; what one throws, or the handler, is answered as a problem.
 * The rate is limited before the body is looked at, so that rubbish counts as well and its answer says what is left.
 */
export function chain<Event extends HttpEvent>(
  contract: Route,
  { read, authenticate }: EventAdapter<Event>,
): MiddlewareObj<Event, HttpResponse>[] {
  type Middleware = MiddlewareObj<Event, HttpResponse>;
  const step = (run: Step): Middleware => ({ before: ({ event }) => run(getRequestContext(event)) });
  const open: Middleware = {
    before: ({ event }) => void contexts.set(event, createRequestContext(contract, read(event))),
  };
  const finish: Middleware = {
    after: (request) => {
      request.response = request.response && withCommonHeaders(request.response, getRequestContext(request.event));
    },
    onError: (request) => {
      const exchange = getRequestContext(request.event);
      const error = asServiceError(request.error, exchange.requestId);
      const { headers, path } = exchange.http;
      // By the path that was asked for: where no route is, the contract has none of the surface's.
      const response = errorResponse({ ...contract, path }, headers, error, exchange.requestId);
      request.response = withCommonHeaders(response, exchange);
    },
  };
  const preflight: Middleware = {
    before: ({ event }) => {
      const exchange = getRequestContext(event);
      if (exchange.http.method !== "OPTIONS") return undefined;
      return withCommonHeaders({ statusCode: 204, headers: preflightHeaders, body: "" }, exchange);
    },
  };
  const body: Middleware[] = contract.body
    ? [
        {
          before: ({ event }) => {
            requireBody(event.body, event.isBase64Encoded);
            // The parser knows two spellings of `Content-Type`, clients any.
            event.headers = getRequestContext(event).http.headers;
          },
        },
        httpJsonBodyParser() as unknown as Middleware,
      ]
    : [];
  const input: Middleware = { before: ({ event }) => validateInput(getRequestContext(event), event.body) };
  return [
    open,
    finish,
    ...(isCorsEnabled(contract) ? [preflight] : []),
    ...authenticate.map(step),
    step(recordCaller),
    step(requireAllowedOrigin),
    step(enforceRateLimit),
    ...body,
    step(requireCapability),
    step(requireScope),
    input,
  ];
}
