import { builtInRoles, type Capability, capabilities } from "../api/capabilities.ts";
import { serviceIdOf, type UsedApiKey, type UserPrincipal } from "../auth/principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { ServiceError } from "../lib/errors.ts";
import { listGroupsOfUser } from "./group-store.ts";
import { findCustomRoles } from "./role-store.ts";
import { findUser } from "./user-store.ts";

/** Roles, groups and permissions of a caller. */
export interface AccessRights {
  /** Names of the roles from the token and from the user's groups. */
  readonly roles: readonly string[];
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly permissions: ReadonlySet<Capability>;
}

/** Returns the permissions of each role that is built in or defined by the tenant. Other names are left out. */
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

/** Returns all permissions that roles grant. An undefined role grants none. */
async function resolvePermissions(scope: TenantScope, roles: readonly string[]): Promise<Set<Capability>> {
  return new Set([...(await findRolePermissions(scope, roles)).values()].flat());
}

/**
 * Requires that all granted permissions are among those that the granting user has.
 * @param held permissions of the granting user
 */
export function authorizeGrant(held: ReadonlySet<Capability>, granted: Iterable<Capability>): void {
  const missing = [...new Set(granted)].filter((permission) => !held.has(permission));
  if (missing.length === 0) return;
  throw new ServiceError("forbidden", `You can only grant permissions that you have. You lack: ${missing.join(", ")}.`);
}

/**
 * Requires that the roles a user assigns contain only permissions that the user has. A role that is not defined yet can
 * later be created with any permissions, so assigning it requires all of them.
 * @param held permissions of the assigning user
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

/** Returns the rights of a user from the given roles and those of the user's groups. */
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
 * Returns the rights of a caller with an API key. Permissions are those that the key's creator had at its creation and
 * still has; if the key acts for a user, only those that this user has as well. The role `admin` is left out, because
 * it also gives access to other users' resources.
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

/** Returns a caller's roles, groups and permissions, limited by the API key if there is one. */
export async function resolveAccessRights(principal: UserPrincipal): Promise<AccessRights> {
  const { apiKey } = principal;
  return apiKey ? resolveKeyRights(principal, apiKey) : resolveUserRights(principal, principal);
}
