import type { Group } from "../../api/tenancy/access.ts";
import type { User } from "../../api/tenancy/users.ts";
import { externalIdOf, type StoredUser } from "../stored-user.ts";

/** Converts a user to the form in which the API returns it. */
export function toUserReply(user: StoredUser, groups: readonly Group[]): User {
  const { user_id: id, roles, name, email, deactivated_at, scim, last_seen_at, created_at } = user;
  return {
    id,
    external_id: externalIdOf(user),
    name,
    email,
    roles,
    groups: groups.map((group) => ({ id: group.id, name: group.name })),
    is_active: deactivated_at === null,
    is_provisioned: scim !== null,
    last_seen_at,
    created_at,
  };
}
