import type { Group } from "../../api/tenancy/access.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { authorizeRoleGrant, resolveUserRights } from "../access-rights.ts";
import {
  addMembership,
  findGroup,
  findGroupIdByName,
  GroupNameTaken,
  listGroups,
  newGroupWrites,
} from "../group-store.ts";
import { findAcceptable, markAccepted } from "./invitation-store.ts";
import { findStoredUser } from "./provisioned-user-store.ts";

const ADMIN_ROLE = "admin";
const ADMIN_GROUP = "Administrators";

/** Returns a group that has exactly the role `admin`. Creates it if the tenant has none. */
async function getAdministrators(scope: UserScope): Promise<Group> {
  const existing = (await listGroups(scope)).find(({ roles }) => roles.length === 1 && roles[0] === ADMIN_ROLE);
  if (existing) return existing;
  const id = newId();
  const isTaken = (await findGroupIdByName(scope, ADMIN_GROUP)) !== undefined;
  const group = { id, name: isTaken ? `${ADMIN_GROUP} ${id}` : ADMIN_GROUP, roles: [ADMIN_ROLE], member_ids: [] };
  try {
    await tenantTable(scope).transact(newGroupWrites(scope, group));
    return group;
  } catch (error) {
    // Two invitations were accepted at the same time.
    if (error instanceof GroupNameTaken) return getAdministrators(scope);
    throw error;
  }
}

/**
 * Requires that the inviting user is still active, may manage members and has all permissions of the groups' roles.
 * @throws ServiceError `forbidden`
 */
async function authorizeInviter(scope: UserScope, inviter: string, groups: readonly Group[]): Promise<void> {
  const user = await findStoredUser(scope, inviter);
  const isActive = user !== undefined && user.deactivated_at === null;
  const { permissions } = await resolveUserRights(scope, { userId: inviter, roles: isActive ? user.roles : [] });
  if (!isActive || !permissions.has("rbac.manage")) {
    throw new ServiceError("forbidden", "The person who invited you is no administrator any more.");
  }
  await authorizeRoleGrant(
    scope,
    permissions,
    groups.flatMap(({ roles }) => roles),
  );
}

/**
 * Accepts an invitation: adds the user to those of its groups that still exist.
 * @throws ServiceError `not_found` for an invalid, used or expired invitation, `forbidden` if the inviting user could
 * no longer assign the roles of the groups
 */
export async function acceptInvitation(scope: UserScope, token: string): Promise<Group[]> {
  const invitation = await findAcceptable(scope, token);
  const found = await Promise.all(invitation.group_ids.map((id) => findGroup(scope, id)));
  const groups: Group[] = found.filter((group) => group !== undefined);
  if (invitation.created_by !== null) await authorizeInviter(scope, invitation.created_by, groups);
  await markAccepted(scope, invitation);
  if (invitation.is_administrator) groups.push(await getAdministrators(scope));
  for (const { id } of groups) await addMembership(scope, id, scope.userId);
  return groups;
}
