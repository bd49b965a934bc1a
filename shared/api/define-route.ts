import type { GenericSchema } from "valibot";
import type { Capability } from "./capabilities.ts";
import { IdParams } from "./fields.ts";
import type { ProblemCode } from "./problem-codes.ts";
import type { ScopeName } from "./scopes.ts";

/** Credential that a route requires. Each one except `none`, the signatures and the token of Teams has an authorizer of the same name. */
export type Auth =
  | "jwt"
  | "api-key"
  | "embed-key"
  | "deployment-key"
  | "webhook-signature"
  | "slack-signature"
  | "teams-token"
  | "none";

/** HTTP method of a route. `ANY` stands for all methods, for paths whose response does not depend on the method. */
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY";

/** Rate limit that a request counts against. The limits are configuration (`RATE_LIMIT_*`, requests per minute). */
export type RateLimitClass =
  | "tenant"
  | "api_key"
  | "embed_session"
  | "channel"
  | "shared_link"
  | "scim"
  | "health"
  | "open";

/** Handling of the `Idempotency-Key` header. */
type Idempotency = "required" | "accepted" | "none";

/** Events of a stream: the name of their common schema, and the payload of each by event name. */
export interface StreamEvents {
  readonly schemaName: string;
  readonly payloads: Readonly<Record<string, GenericSchema>>;
}

/** Header of success responses of some routes. A 201 has a `Location` in any case. */
type ReplyHeader =
  | "AI-Disclosure"
  | "Content-Disposition"
  | "ETag"
  | "Link"
  | "Location"
  | "X-Completion-Id"
  | "X-Vercel-AI-UI-Message-Stream";

/** Response body schemas by success status; `null` for a response without a body. */
type Replies = Readonly<Record<number, GenericSchema | null>>;

/**
 * Contract of one endpoint. The CDK app, the handler wrapper, the OpenAPI document, the generated tests and
 * `/v1/receptor` all read it.
 */
export interface Route {
  /** Operation id, verb + noun. Names the handler, the function, the OpenAPI operation and the receptor key. */
  readonly id: string;
  /** Resource group: OpenAPI tag, and scope of API keys by default (`scopes.ts`). */
  readonly group: string;
  readonly method: Method;
  /** Path template with `{name}` parameters, relative to the base URL. A trailing `{name+}` matches the rest of the path. */
  readonly path: string;
  readonly auth: Auth;
  readonly capability?: Capability;
  /** Scope that an API key must have. Routes of users have that of their group by default (`scopes.ts`). */
  readonly scope?: ScopeName;
  /**
   * Restriction of API keys on a route of users: `refused` for all, `on_behalf` for those that act for no user, because the
   * operation takes the decision of a person.
   */
  readonly keys?: "refused" | "on_behalf";
  readonly rateLimit: RateLimitClass;
  /** Served by a streaming function URL (`functions/streaming`) instead of the REST API. */
  readonly streaming: boolean;
  readonly idempotency: Idempotency;
  readonly params?: GenericSchema;
  readonly query?: GenericSchema;
  readonly body?: GenericSchema;
  /** Maximum size of the body in bytes; 1 MiB by default. */
  readonly maxBodyBytes?: number;
  /** The route also accepts `application/x-www-form-urlencoded`, as OAuth clients send it. */
  readonly acceptsForm?: boolean;
  /** The route also accepts `multipart/form-data`, with at most this number of files. */
  readonly maxFiles?: number;
  /** The route stores uploaded files, for which its function gets access to their bucket. */
  readonly storesFiles?: boolean;
  readonly replies: Replies;
  /** Media types of the success response; `application/json` by default. */
  readonly mediaTypes?: readonly string[];
  /** Events of a `text/event-stream` reply. */
  readonly events?: StreamEvents;
  /** Data of the events of a `text/event-stream` reply of the OpenAI-compatible API, and the name of its schema. */
  readonly chunk?: { readonly schemaName: string; readonly schema: GenericSchema };
  /** Headers that success responses of this route have in addition to those of all routes. */
  readonly replyHeaders?: readonly ReplyHeader[];
  /** Headers of every response of this route, including errors. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parses the body as JSON regardless of its `Content-Type`, for senders that cannot set it. */
  readonly anyContentType?: boolean;
  /** Converts a body of any form to a JSON object, for senders whose form cannot be chosen. */
  readonly anyBody?: boolean;
  /** The response is the same for every caller, so CloudFront compresses and caches it according to `Cache-Control`. */
  readonly cacheable?: boolean;
  /** Error codes in addition to those that all routes of the same kind share. */
  readonly errors: readonly ProblemCode[];
  readonly summary: string;
  readonly description?: string;
}

type DefaultedField = "rateLimit" | "streaming" | "idempotency" | "errors";
type RouteDefinition = Omit<Route, DefaultedField> & Partial<Pick<Route, DefaultedField>>;

const rateLimitByAuth: Record<Auth, RateLimitClass> = {
  jwt: "tenant",
  "api-key": "api_key",
  "embed-key": "embed_session",
  "deployment-key": "open",
  "webhook-signature": "channel",
  "slack-signature": "channel",
  "teams-token": "channel",
  none: "open",
};

/** Tells whether requests are authenticated together with their body, which machines send. */
export const isSigned = (auth: Auth): boolean =>
  auth === "webhook-signature" || auth === "slack-signature" || auth === "teams-token";

/**
 * Completes a route definition with the defaults for its method and credential. The literal types of the definition are
 * preserved, so the handler wrapper can derive the types of parameters, query, body and response.
 */
export function defineRoute<const Definition extends RouteDefinition>(
  definition: Definition,
): Definition & Pick<Route, DefaultedField> {
  return {
    rateLimit: rateLimitByAuth[definition.auth],
    streaming: false,
    idempotency: definition.method === "POST" && !isSigned(definition.auth) ? "accepted" : "none",
    errors: [],
    ...definition,
  };
}

type OperationField = "method" | "path";
type CommonDefinition = Pick<Route, "group" | "auth"> & Partial<Omit<Route, OperationField | "id">>;
type OwnDefinition = Pick<Route, "id" | "summary"> & Partial<Omit<Route, OperationField>>;

type DefaultParams<Path> = Path extends `${infer Before}{id}${infer After}`
  ? `${Before}${After}` extends `${string}{${string}`
    ? unknown
    : { readonly params: typeof IdParams }
  : unknown;
type DefaultReplies<Verb> = Verb extends "DELETE" ? { readonly replies: typeof deletionReplies } : unknown;
type OperationFields<Operation> = Operation extends `${infer Verb extends Method} ${infer Path}`
  ? { readonly method: Verb; readonly path: Path } & DefaultParams<Path> & DefaultReplies<Verb>
  : never;

const deletionReplies = { 204: null };

/**
 * Returns a function that defines routes with common fields by method and path: `route("GET /v1/notes/{id}", { … })`. A route
 * can replace a common field. `{id}` as the only parameter is a UUIDv7, and a deletion has no response body, unless the route
 * says otherwise.
 */
export function routeGroup<const Common extends CommonDefinition>(common: Common) {
  return <const Operation extends `${Method} /${string}`, const Own extends OwnDefinition>(
    operation: Operation,
    own: Own,
  ) => {
    const [method, path] = operation.split(" ") as [Method, string];
    const params = path.match(/\{[^{}]*\}/g)?.join() === "{id}" ? { params: IdParams } : {};
    const replies = method === "DELETE" ? { replies: deletionReplies } : {};
    const route: unknown = defineRoute({ method, path, ...params, ...replies, ...common, ...own } as RouteDefinition);
    return route as Own & Omit<OperationFields<Operation> & Common & Pick<Route, DefaultedField>, keyof Own>;
  };
}

/** Tells whether a route belongs to the OpenAI-compatible API, which has its own error format and headers. */
export function isOpenaiRoute({ path }: Pick<Route, "path">): boolean {
  return path.startsWith("/openai/");
}

/** Tells whether a route belongs to the messages API, whose errors have Anthropic's format. */
export function isMessagesRoute({ path }: Pick<Route, "path">): boolean {
  return path.startsWith("/openai/v1/messages");
}

/** Tells whether a route belongs to the SCIM API, whose errors have the form of RFC 7644. */
export function isScimRoute({ path }: Pick<Route, "path">): boolean {
  return path.startsWith("/scim/");
}

type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & PathParams<Rest>
  : unknown;

/** Returns the path of a route with its parameters filled in and percent-encoded. */
export function pathOf<const Path extends string>(route: { readonly path: Path }, params: PathParams<Path>): string {
  const values = params as Readonly<Record<string, string>>;
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}
