import type { Auth, Route } from "../api/define-route.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import type {
  ApiKeyPrincipal,
  ChannelPrincipal,
  DeploymentPrincipal,
  EmbedKeyPrincipal,
  SlackPrincipal,
  TeamsPrincipal,
  UserPrincipal,
} from "../auth/principal.ts";
import { now } from "../lib/clock.ts";
import type { AccessRights } from "../tenancy/access-rights.ts";
import type { RateLimitResult } from "../tenancy/rate-store.ts";
import type { Tenant } from "../tenancy/tenant-store.ts";
import type { HttpRequest } from "./http-request.ts";
import { resolveRequestId } from "./request-id.ts";
import type { ValidatedInput } from "./validate.ts";

/**
 * Type of the principal for each kind of credential. A new kind in `Auth` fails to compile until it has an entry here.
 */
export interface PrincipalByAuth {
  readonly jwt: UserPrincipal;
  readonly "api-key": ApiKeyPrincipal;
  readonly "embed-key": EmbedKeyPrincipal;
  readonly "deployment-key": DeploymentPrincipal;
  readonly "webhook-signature": ChannelPrincipal;
  readonly "slack-signature": SlackPrincipal;
  readonly "teams-token": TeamsPrincipal;
  readonly none: null;
}

/** Caller of a request; null on routes without a credential. */
export type Principal = PrincipalByAuth[Auth];

/** State of one request in the middleware chain. Each step sets its own fields. */
export interface RequestContext {
  readonly contract: Route;
  http: HttpRequest;
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  principal: Principal;
  tenant: Tenant | null;
  /** Embed key of the website that sent the request; null for other credentials. */
  embedKey: EmbedKey | null;
  /** True if the key does not allow the origin of the request. */
  originDenied: boolean;
  rateLimit: RateLimitResult | null;
  /** Loads the caller's roles and permissions on first use. */
  rights: () => Promise<AccessRights>;
  input: ValidatedInput;
}

export function createRequestContext(contract: Route, http: HttpRequest): RequestContext {
  return {
    contract,
    http,
    requestId: resolveRequestId(http.headers["x-request-id"], http.gatewayRequestId),
    startedAt: now(),
    principal: null,
    tenant: null,
    embedKey: null,
    originDenied: false,
    rateLimit: null,
    rights: async () => ({ roles: [], groups: [], permissions: new Set() }),
    input: { params: undefined, query: undefined, body: undefined },
  };
}
