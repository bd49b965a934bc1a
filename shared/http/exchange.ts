import type { Capability } from "../api/capabilities.ts";
import type { Auth, Route } from "../api/define-route.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import type { Allowance } from "../data/rate-store.ts";
import type { Tenant } from "../data/tenant-store.ts";
import type { HttpRequest } from "./http-request.ts";
import type { ValidInput } from "./validate.ts";

/** Who a request with a given credential comes from; a new credential does not compile until it has its row here. */
export interface PrincipalByAuth {
  readonly jwt: UserPrincipal;
  readonly none: null;
}

/** Any caller. */
export type Principal = PrincipalByAuth[Auth];

/** What is known of one request while it goes through the chain; each step adds its part. */
export interface Exchange {
  readonly contract: Route;
  readonly http: HttpRequest;
  readonly requestId: string;
  principal: Principal;
  tenant: Tenant | null;
  allowance: Allowance | null;
  permissions: ReadonlySet<Capability>;
  input: ValidInput;
}

const callerRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Opens the exchange of a request: takes the caller's `x-request-id` where it is one. */
export function openExchange(contract: Route, http: HttpRequest): Exchange {
  const given = http.headers["x-request-id"] ?? "";
  return {
    contract,
    http,
    requestId: callerRequestId.test(given) ? given : http.gatewayRequestId,
    principal: null,
    tenant: null,
    allowance: null,
    permissions: new Set(),
    input: { params: undefined, query: undefined, body: undefined },
  };
}
