import type { Auth, Route } from "../api/define-route.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import type { ApiKeyPrincipal, ChannelPrincipal, EmbedKeyPrincipal, UserPrincipal } from "../auth/principal.ts";
import type { AccessRights } from "../tenancy/permissions.ts";
import type { Allowance } from "../tenancy/rate-store.ts";
import type { Tenant } from "../tenancy/tenant-store.ts";
import type { HttpRequest } from "./http-request.ts";
import { resolveRequestId } from "./request-id.ts";
import type { ValidatedInput } from "./validate.ts";

/** Who a request with a given credential comes from; a new credential does not compile until it has its row here. */
export interface PrincipalByAuth {
  readonly jwt: UserPrincipal;
  readonly "api-key": ApiKeyPrincipal;
  readonly "embed-key": EmbedKeyPrincipal;
  readonly "webhook-signature": ChannelPrincipal;
  readonly none: null;
}

/** Any caller. */
export type Principal = PrincipalByAuth[Auth];

/** What is known of one request while it goes through the chain; each step adds its part. */
export interface RequestContext {
  readonly contract: Route;
  readonly http: HttpRequest;
  readonly requestId: string;
  principal: Principal;
  tenant: Tenant | null;
  /** What the tenant has set for the website that the request comes from. */
  embedKey: EmbedKey | null;
  /** The request comes from a page that may not use its key. */
  originDenied: boolean;
  rateLimit: Allowance | null;
  /** The allowance while it is being drawn on, where that began before its turn. */
  pendingRateLimit: Promise<Allowance | null> | null;
  /** The caller's rights; looked up once, and only where somebody asks. */
  rights: () => Promise<AccessRights>;
  input: ValidatedInput;
}

/** Opens the exchange of a request: takes the caller's `x-request-id` where it is one. */
export function createRequestContext(contract: Route, http: HttpRequest): RequestContext {
  return {
    contract,
    http,
    requestId: resolveRequestId(http.headers["x-request-id"], http.gatewayRequestId),
    principal: null,
    tenant: null,
    embedKey: null,
    originDenied: false,
    rateLimit: null,
    pendingRateLimit: null,
    rights: async () => ({ roles: [], groups: [], permissions: new Set() }),
    input: { params: undefined, query: undefined, body: undefined },
  };
}
