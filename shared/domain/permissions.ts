import { builtInRoles, type Capability } from "../api/capabilities.ts";

/** Capabilities that roles give; a name that is no role gives nothing. */
export function permissionsOf(roles: readonly string[]): ReadonlySet<Capability> {
  return new Set(
    roles.flatMap((role) => (Object.hasOwn(builtInRoles, role) ? (builtInRoles[role]?.permissions ?? []) : [])),
  );
}
