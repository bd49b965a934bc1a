import { MAX_MEMBERS } from "../../api/tenancy/access.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { log } from "../../lib/log.ts";
import { addMembership, deleteMembership, listGroups } from "../group-store.ts";

/** Attributes of a user's item before or after a change. */
type UserImage = Readonly<Record<string, unknown>>;

/** Returns a name without regard to case and to the way in which its accents are encoded. */
const fold = (name: string) => name.normalize("NFC").toLowerCase();

const toNames = (user: UserImage | undefined) => new Set(((user?.token_groups ?? []) as readonly string[]).map(fold));

/**
 * Adds a user to the existing groups that the latest token names, and removes the user from groups that only the token
 * before it named. Other memberships stay. A full group is skipped.
 */
export async function syncTokenGroups(scope: TenantScope, after: UserImage, before?: UserImage): Promise<void> {
  const [wanted, former] = [toNames(after), toNames(before)];
  if (wanted.size === 0 && former.size === 0) return;
  const userId = String(after.user_id);
  for (const { id, name, member_ids } of await listGroups(scope)) {
    const [isWanted, isMember] = [wanted.has(fold(name)), member_ids.includes(userId)];
    if (isWanted && !isMember) {
      if (member_ids.length < MAX_MEMBERS) await addMembership(scope, id, userId);
      else log.warn("group of a token is full", { group_id: id });
    }
    if (isMember && !isWanted && former.has(fold(name))) await deleteMembership(scope, id, userId);
  }
}
