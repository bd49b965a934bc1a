import type { MiddlewareObj } from "@middy/core";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { GenericSchema, InferOutput } from "valibot";
import { isSigned, type Route } from "../api/define-route.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { toUnavailable } from "../dynamodb/is-retryable-error.ts";
import type { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { toServiceError } from "../lib/to-service-error.ts";
import type { AccessRights } from "../tenancy/access-rights.ts";
import type { Tenant } from "../tenancy/tenant-store.ts";
import { logAccess } from "./access-log.ts";
import { toJsonObject } from "./body/any-body.ts";
import { decodeBody } from "./body/decode-body.ts";
import { formToJson, isFormUrlencoded } from "./body/form-urlencoded.ts";
import { isCorsEnabled, isPreflight, preflightHeaders } from "./cors.ts";
import { errorResponse } from "./errors/error-response.ts";
import type { HttpResponse } from "./errors/problems.ts";
import { type HttpRequest, readClient } from "./http-request.ts";
import { type RateLimiter, rateLimiterOf } from "./rate-limiters.ts";
import { withCommonHeaders } from "./reply.ts";
import { createRequestContext, type PrincipalByAuth, type RequestContext } from "./request-context.ts";
import {
  actOnBehalf,
  enforceRateLimit,
  isFormData,
  maxFormBytes,
  recordCaller,
  requireAllowedOrigin,
  requireBody,
  requireCapability,
  requireScope,
  type Step,
  validateInput,
} from "./steps.ts";

type Validated<Schema> = Schema extends GenericSchema ? InferOutput<Schema> : undefined;

/** Authenticated and validated request that handlers receive, typed by their contract. */
export interface ValidatedRequest<Contract extends Route> {
  readonly principal: PrincipalByAuth[Contract["auth"]];
  readonly tenant: Contract["auth"] extends "none" | "deployment-key" ? null : Tenant;
  readonly embedKey: Contract["auth"] extends "embed-key" ? EmbedKey : null;
  /** Loads the caller's roles, groups and permissions on first use. */
  readonly rights: () => Promise<AccessRights>;
  readonly params: Validated<Contract["params"]>;
  readonly query: Validated<Contract["query"]>;
  readonly body: Validated<Contract["body"]>;
  readonly headers: RequestHeaders;
  /** Client address, normalized for rate limiting. */
  readonly address: string;
  /** Base URL to which the client sent the request, such as `https://chat.example.com`. */
  readonly baseUrl: string;
  /** Body exactly as it was sent; signatures are computed over these bytes. */
  readonly rawBody: Buffer;
  /** HTTP method of the request, for handlers of routes with the method `ANY`. */
  readonly method: string;
  /** Path as the client sent it. */
  readonly path: string;
  readonly requestId: string;
}

const contexts = new WeakMap<object, RequestContext>();

/**
 * Returns the request context that the chain created for an event. The contexts are stored by event, because middy
 * passes handlers the event but not its own state.
 */
export function getRequestContext(event: object): RequestContext {
  const context = contexts.get(event);
  if (!context) throw new Error("The event has no request context");
  return context;
}

/** Returns the fields of a request context that handlers receive. */
export function toHandlerRequest<Contract extends Route>(context: RequestContext): ValidatedRequest<Contract> {
  const { principal, tenant, embedKey, rights, input, http, requestId } = context;
  return {
    principal,
    tenant,
    embedKey,
    rights,
    ...input,
    headers: http.headers,
    address: http.address,
    baseUrl: http.baseUrl,
    rawBody: http.rawBody,
    method: http.method,
    path: http.path,
    requestId,
  } as ValidatedRequest<Contract>;
}

/** Fields that API Gateway events and function URL events have in common. */
interface HttpEvent {
  body?: string | null;
  headers?: unknown;
  readonly isBase64Encoded: boolean;
}

/** Options of the endpoints of a feature: replacements for default steps, and additional handling of errors. */
export interface EndpointOptions {
  readonly authenticate?: Step;
  readonly consumeRateLimit?: RateLimiter;
  /** Called with the error of a failed request, before the error response is created. */
  onError?(context: RequestContext, error: ServiceError): Promise<void>;
  /** Renders an error in the format of the feature. Returns undefined if the default format applies. */
  renderError?(http: HttpRequest, error: ServiceError, requestId: string): HttpResponse | undefined;
}

/** Part of a chain that depends on the kind of event: reads the request and authenticates its caller. */
interface EventAdapter<Event extends HttpEvent> extends Omit<EndpointOptions, "authenticate"> {
  read(event: Event): HttpRequest;
  readonly authenticate: readonly Step[];
}

/**
 * Creates the middleware chain that every endpoint shares. Steps run top to bottom. Errors of steps and handlers become
 * problem responses. Rate limiting runs before body parsing, so malformed requests also count, and their responses have
 * rate limit headers.
 */
export function chain<Event extends HttpEvent>(
  contract: Route,
  { read, authenticate, onError, renderError, consumeRateLimit = rateLimiterOf(contract) }: EventAdapter<Event>,
): MiddlewareObj<Event, HttpResponse>[] {
  type Middleware = MiddlewareObj<Event, HttpResponse>;
  const step = (run: Step): Middleware => ({ before: ({ event }) => run(getRequestContext(event)) });
  const openContext: Middleware = {
    before: async ({ event }) => {
      const context = createRequestContext(contract, read(event));
      contexts.set(event, context);
      context.http = { ...context.http, ...(await readClient(context.http)) };
    },
  };
  const finishResponse: Middleware = {
    after: (request) => {
      const context = getRequestContext(request.event);
      const { response } = request;
      if (!response) return;
      const { body } = response;
      // API Gateway sends the length of the body, and not the body, in response to HEAD.
      request.response = withCommonHeaders(response, context);
      if (typeof body === "string") logAccess(context, request.response, { bytes: Buffer.byteLength(body) });
    },
    onError: async (request) => {
      const context = getRequestContext(request.event);
      const error = toServiceError(toUnavailable(request.error), context.requestId);
      await onError?.(context, error);
      const { http, requestId } = context;
      const response = renderError?.(http, error, requestId) ?? errorResponse(contract, http.headers, error, requestId);
      request.response = withCommonHeaders(response, context);
      logAccess(context, request.response, { bytes: Buffer.byteLength(String(response.body)) });
    },
  };
  const preflight: Middleware = {
    before: ({ event }) => {
      const context = getRequestContext(event);
      const { method, headers } = context.http;
      if (method !== "OPTIONS" || !isCorsEnabled(contract)) return undefined;
      if (contract.auth === "jwt" && !isPreflight(method, headers)) return undefined;
      return withCommonHeaders({ statusCode: 204, headers: preflightHeaders(contract), body: "" }, context);
    },
  };
  const isForm = (event: Event) =>
    contract.maxFiles !== undefined && isFormData(getRequestContext(event).http.headers["content-type"]);
  const parseJson = httpJsonBodyParser() as unknown as Middleware;
  const parseBody: Middleware[] = contract.body
    ? [
        {
          before: async ({ event }) => {
            const limit = isForm(event) ? maxFormBytes : contract.maxBodyBytes;
            const { http } = getRequestContext(event);
            const { headers, rawBody } = http;
            requireBody(rawBody, limit);
            if (isForm(event)) return;
            const isUrlencoded = contract.acceptsForm && isFormUrlencoded(headers["content-type"]);
            const text = decodeBody(http, isSigned(contract.auth));
            if (contract.anyBody) {
              const body = await toJsonObject(text, { rawBody, contentType: headers["content-type"] });
              return void Object.assign(event, { body });
            }
            Object.assign(event, { body: isUrlencoded ? formToJson(text) : text, isBase64Encoded: false });
            // @middy/http-json-body-parser reads only `Content-Type` and `content-type`, so header names are converted
            // to lower case.
            const isJson = contract.anyContentType || isUrlencoded;
            event.headers = isJson ? { ...headers, "content-type": "application/json" } : headers;
          },
        },
        // The handler parses forms, so that only functions that accept files contain the parser.
        { before: (request) => (isForm(request.event) || contract.anyBody ? undefined : parseJson.before?.(request)) },
      ]
    : [];
  const validateRequest: Middleware = {
    before: ({ event }) =>
      validateInput(getRequestContext(event), isForm(event) ? undefined : event.body, isForm(event)),
  };
  return [
    openContext,
    finishResponse,
    ...(isCorsEnabled(contract) ? [preflight] : []),
    ...authenticate.map(step),
    step(recordCaller),
    step(requireAllowedOrigin),
    step(enforceRateLimit(consumeRateLimit)),
    step(actOnBehalf),
    ...parseBody,
    step(requireScope),
    step(requireCapability),
    validateRequest,
  ];
}
