import type { Capability } from "../api/capabilities.ts";
import type { Route } from "../api/define-route.ts";

/** Returns, for each operation that a user can call with a token, whether the permissions allow it. */
export function getAllowedOperations(
  routes: readonly Route[],
  permissions: ReadonlySet<Capability>,
): Record<string, boolean> {
  const callable = routes.filter(({ auth }) => auth === "jwt" || auth === "none");
  return Object.fromEntries(
    callable.map(({ id, capability }) => [id, capability === undefined || permissions.has(capability)]),
  );
}
