import { builtInRoles, type Capability } from "../api/capabilities.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { listGroupsOfUser } from "./group-store.ts";
import { findCustomRoles } from "./role-store.ts";

/** Permissions of a user, with the roles and groups that they come from. */
export interface AccessRights {
  /** Role names from the token and from the user's groups. */
  readonly roles: readonly string[];
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly permissions: ReadonlySet<Capability>;
}

/** Resolves a user's roles, groups and permissions. A role name that the tenant has not defined grants nothing. */
export async function resolveAccessRights(principal: UserPrincipal): Promise<AccessRights> {
  const groups = await listGroupsOfUser(principal, principal.userId);
  const roles = [...new Set([...principal.roles, ...groups.flatMap((group) => group.roles)])];
  const isBuiltIn = (role: string) => Object.hasOwn(builtInRoles, role);
  const custom = await findCustomRoles(
    principal,
    roles.filter((role) => !isBuiltIn(role)),
  );
  const permissions = [
    ...roles.filter(isBuiltIn).flatMap((role) => builtInRoles[role]?.permissions ?? []),
    ...custom.flatMap((role) => role.permissions),
  ];
  return { roles, groups: groups.map(({ id, name }) => ({ id, name })), permissions: new Set(permissions) };
}
