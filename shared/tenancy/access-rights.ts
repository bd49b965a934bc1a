import { builtInRoles, type Capability, capabilities } from "../api/capabilities.ts";
import { serviceIdOf, type UsedApiKey, type UserPrincipal } from "../auth/principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { ServiceError } from "../lib/errors.ts";
import { listGroupsOfUser } from "./group-store.ts";
import { findCustomRoles } from "./role-store.ts";
import { findUser } from "./user-store.ts";

/** Permissions of a user, with the roles and groups that they come from. */
export interface AccessRights {
  /** Role names from the token and from the user's groups. */
  readonly roles: readonly string[];
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly permissions: ReadonlySet<Capability>;
}

/** Returns the permissions of roles by role name, without the names that the tenant has not defined. */
async function findRolePermissions(
  scope: TenantScope,
  roles: readonly string[],
): Promise<Map<string, readonly Capability[]>> {
  const isBuiltIn = (role: string) => Object.hasOwn(builtInRoles, role);
  const custom = await findCustomRoles(
    scope,
    roles.filter((role) => !isBuiltIn(role)),
  );
  return new Map([
    ...roles.filter(isBuiltIn).map((role) => [role, builtInRoles[role]?.permissions ?? []] as const),
    ...custom.map((role) => [role.name, role.permissions] as const),
  ]);
}

/** Returns the permissions that roles grant. A role name that the tenant has not defined grants nothing. */
async function resolvePermissions(scope: TenantScope, roles: readonly string[]): Promise<Set<Capability>> {
  return new Set([...(await findRolePermissions(scope, roles)).values()].flat());
}

/**
 * Requires that a user grants only permissions that the user has.
 * @throws ServiceError `forbidden` that names the missing permissions
 */
export function authorizeGrant(held: ReadonlySet<Capability>, granted: Iterable<Capability>): void {
  const missing = [...new Set(granted)].filter((permission) => !held.has(permission));
  if (missing.length === 0) return;
  throw new ServiceError("forbidden", `You can only grant permissions that you have. You lack: ${missing.join(", ")}.`);
}

/**
 * Requires that a user gives only roles whose permissions the user has. A role that the tenant has not defined can later be
 * created with any permissions, so giving it requires all of them.
 * @throws ServiceError `forbidden` that names the missing permissions
 */
export async function authorizeRoleGrant(
  scope: TenantScope,
  held: ReadonlySet<Capability>,
  roles: readonly string[],
): Promise<void> {
  const defined = await findRolePermissions(scope, roles);
  const isUndefined = roles.some((role) => !defined.has(role));
  authorizeGrant(held, isUndefined ? (Object.keys(capabilities) as Capability[]) : [...defined.values()].flat());
}

/** Resolves the rights of a user with the given roles of a token. */
export async function resolveUserRights(
  scope: TenantScope,
  { userId, roles: ownRoles }: Pick<UserPrincipal, "userId" | "roles">,
): Promise<AccessRights> {
  const groups = await listGroupsOfUser(scope, userId);
  const roles = [...new Set([...ownRoles, ...groups.flatMap((group) => group.roles)])];
  const permissions = await resolvePermissions(scope, roles);
  return { roles, groups: groups.map(({ id, name }) => ({ id, name })), permissions };
}

/**
 * Resolves the rights of the caller of an API key: what the creator of the key could do when it was made and still can, and
 * for a caller other than the key itself, only what this user can. Keys never have the role `admin`, which also manages what
 * other users own.
 */
async function resolveKeyRights(principal: UserPrincipal, apiKey: UsedApiKey): Promise<AccessRights> {
  const isService = principal.userId === serviceIdOf(apiKey.id);
  const creator = await findUser(principal, apiKey.creatorId);
  const [creatorRights, own] = await Promise.all([
    resolveUserRights(principal, { userId: apiKey.creatorId, roles: creator?.roles ?? [] }),
    resolveUserRights(principal, principal),
  ]);
  const held = isService ? creatorRights.permissions : own.permissions;
  const permissions = apiKey.permissions.filter((each) => creatorRights.permissions.has(each) && held.has(each));
  const roles = (isService ? creatorRights : own).roles.filter((role) => role !== "admin");
  return { roles, groups: own.groups, permissions: new Set(permissions) };
}

/** Resolves a caller's roles, groups and permissions. */
export async function resolveAccessRights(principal: UserPrincipal): Promise<AccessRights> {
  const { apiKey } = principal;
  return apiKey ? resolveKeyRights(principal, apiKey) : resolveUserRights(principal, principal);
}
