import { builtInRoles, type Capability } from "../api/capabilities.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { groupsOf } from "./group-store.ts";
import { findCustomRoles } from "./role-store.ts";

/** What a person may do, and why. */
export interface AccessRights {
  /** Role names of the token and of the person's groups. */
  readonly roles: readonly string[];
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly permissions: ReadonlySet<Capability>;
}

/** A person's rights as the tenant has them defined at this moment. A role name nobody defined gives nothing. */
export async function rightsOf(principal: UserPrincipal): Promise<AccessRights> {
  const groups = await groupsOf(principal, principal.userId);
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
