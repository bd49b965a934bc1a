import type { GenericSchema } from "valibot";
import type { Capability } from "./capabilities.ts";
import type { ProblemCode } from "./problem-codes.ts";

/** The credential a route asks for; each but `none` has an authorizer of the same name. */
export type Auth = "jwt" | "api-key" | "embed-key" | "webhook-signature" | "none";

/** HTTP methods a route can have; `ANY` is each of them, for a path that has but one answer. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY";

/** Which allowance a request draws on. The numbers are configuration (`RATE_LIMIT_*`, requests per minute). */
export type RateLimitClass = "tenant" | "api_key" | "embed_session" | "channel" | "shared_link" | "health" | "open";

/** How a route treats the `Idempotency-Key` header. */
export type Idempotency = "required" | "accepted" | "none";

/** Reply bodies by success status; `null` is a reply without a body. */
export type Replies = Readonly<Record<number, GenericSchema | null>>;

/**
 * One endpoint as data. The CDK app, the handler wrapper, the OpenAPI document, the generated tests and
 * `/v1/receptor` all read this; nothing about an endpoint is written a second time.
 */
export interface Route {
  /** Operation id, verb + noun: names the handler file, the function, the OpenAPI operation and the receptor key. */
  readonly id: string;
  /** The resource the route belongs to: folder of its handler, OpenAPI tag, nested stack. */
  readonly group: string;
  readonly method: Method;
  /** Path template with `{name}` parameters, relative to the base URL; `{name+}` at its end is all that follows. */
  readonly path: string;
  readonly auth: Auth;
  readonly capability?: Capability;
  /** What an API key must be allowed. */
  readonly scope?: "chat.completions" | "models.read";
  readonly rateLimit: RateLimitClass;
  /** Served by a streaming function URL (`functions/streaming`) instead of the REST API. */
  readonly streaming: boolean;
  readonly idempotency: Idempotency;
  readonly params?: GenericSchema;
  readonly query?: GenericSchema;
  readonly body?: GenericSchema;
  readonly replies: Replies;
  /** Media types of its success, `application/json` alone by default. */
  readonly mediaTypes?: readonly string[];
  /** Headers of every response of this route, whatever its status. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same for everybody: the edge keeps it, compressed, for as long as its `Cache-Control` says. */
  readonly cacheable?: boolean;
  /** Problems beyond the ones every route of its kind can answer with. */
  readonly errors: readonly ProblemCode[];
  readonly summary: string;
  readonly description?: string;
}

type Defaulted = "rateLimit" | "streaming" | "idempotency" | "errors";
type RouteDefinition = Omit<Route, Defaulted> & Partial<Pick<Route, Defaulted>>;

const rateLimitByAuth: Record<Auth, RateLimitClass> = {
  jwt: "tenant",
  "api-key": "api_key",
  "embed-key": "embed_session",
  "webhook-signature": "channel",
  none: "open",
};

/**
 * Completes a route definition with the defaults of its kind. The definition's literal types survive,
 * so the handler wrapper can type params, query, body and reply from it.
 */
export function defineRoute<const Definition extends RouteDefinition>(
  definition: Definition,
): Definition & Pick<Route, Defaulted> {
  return {
    rateLimit: rateLimitByAuth[definition.auth],
    streaming: false,
    idempotency: definition.method === "POST" && definition.auth !== "webhook-signature" ? "accepted" : "none",
    errors: [],
    ...definition,
  };
}
