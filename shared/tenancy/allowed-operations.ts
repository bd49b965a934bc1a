import type { Capability } from "../api/capabilities.ts";
import type { Route } from "../api/define-route.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { findScopeViolation } from "./key-scopes.ts";

/**
 * Returns for each operation whether the user's permissions and the scopes of the API key, if there is one, allow it.
 * Operations for other credentials are left out.
 */
export function getAllowedOperations(
  routes: readonly Route[],
  permissions: ReadonlySet<Capability>,
  principal: UserPrincipal,
): Record<string, boolean> {
  const callable = routes.filter(({ auth }) => auth === "jwt" || auth === "none");
  return Object.fromEntries(
    callable.map((route) => {
      const { id, capability } = route;
      return [id, (capability === undefined || permissions.has(capability)) && !findScopeViolation(principal, route)];
    }),
  );
}
