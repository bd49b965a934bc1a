import { builtInRoles } from "../api/capabilities.ts";
import type { Role } from "../api/tenancy/access.ts";
import { ServiceError } from "../lib/errors.ts";

/** The roles every tenant has. */
export function allBuiltInRoles(): Role[] {
  return Object.entries(builtInRoles).map(([name, { description, permissions }]) => ({
    name,
    description,
    permissions: [...permissions],
    built_in: true,
  }));
}

/**
 * @throws ServiceError `forbidden` for the name of a built-in role: those are the same everywhere
 */
export function checkCustom(name: string): void {
  if (Object.hasOwn(builtInRoles, name)) throw new ServiceError("forbidden", "Built-in roles cannot be changed.");
}
