import { builtInRoles } from "../api/capabilities.ts";
import type { Role } from "../api/tenancy/access.ts";
import { ServiceError } from "../lib/errors.ts";

export function listBuiltInRoles(): Role[] {
  return Object.entries(builtInRoles).map(([name, { description, permissions }]) => ({
    name,
    description,
    permissions: [...permissions],
    built_in: true,
  }));
}

/**
 * Requires that a name is not that of a built-in role.
 * @throws ServiceError `forbidden`
 */
export function requireCustomRole(name: string): void {
  if (Object.hasOwn(builtInRoles, name)) throw new ServiceError("forbidden", "Built-in roles cannot be changed.");
}
