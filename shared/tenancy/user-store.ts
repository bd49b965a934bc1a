import { isDeepStrictEqual } from "node:util";
import { isPersonId } from "../auth/principal.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { type ListQuery, listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { requireItem } from "../dynamodb/required-item.ts";
import {
  absent,
  allOf,
  anyOf,
  differs,
  equals,
  exists,
  type Item,
  lacksAttribute,
  lessThan,
  type Write,
} from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound, ServiceError } from "../lib/errors.ts";
import {
  defaultProfile,
  isKeyManaged,
  newUser,
  readUser,
  type StoredUser,
  toRecorded,
  type UserAdmission,
  wasSeenLately,
} from "./stored-user.ts";
import { getOrCreateTenant, rejectSuspended, type Tenant } from "./tenant-store.ts";

/** Cache TTL of a user. A deactivation takes effect within this time, and in an open stream at its next check. */
const CACHE_TTL_MS = 15_000;

const MAX_CACHE_ENTRIES = 10_000;
const cache = new Map<string, { readonly user: StoredUser; readonly readAt: number }>();

/** Caches a user and returns it. @param pk partition key of the user's item */
export function rememberUser(pk: string, user: StoredUser): StoredUser {
  if (cache.size >= MAX_CACHE_ENTRIES) cache.clear();
  cache.set(pk, { user, readAt: now() });
  return user;
}

/** Returns a user, from a cache of 15 seconds; undefined if it does not exist. */
export async function findUser(scope: TenantScope, userId: string): Promise<StoredUser | undefined> {
  const key = keys.user(scope.tenantId, userId);
  const cached = cache.get(key.pk);
  if (cached && now() - cached.readAt < CACHE_TTL_MS) return cached.user;
  const item = await tenantTable(scope).get(key);
  return item && rememberUser(key.pk, readUser(item));
}

function requireActive(user: StoredUser | undefined): void {
  if (user?.deactivated_at) throw new ServiceError("forbidden", `The user ${user.user_id} is deactivated.`);
}

/** @throws ServiceError `forbidden` if the user is deactivated */
export async function requireActiveUser(scope: TenantScope, userId: string): Promise<void> {
  requireActive(await findUser(scope, userId));
}

/**
 * Returns the write that changes the tenant's member count by 1 or -1; null if the tenant has no limit of members, or
 * if the id is of an API key and not of a person. The write fails with ServiceError `forbidden` if it would exceed
 * the limit.
 */
export function countMemberWrite(
  scope: TenantScope,
  { limits: { members } }: Tenant,
  userId: string,
  change: 1 | -1,
): Write | null {
  if (members === undefined || !isPersonId(userId)) return null;
  return {
    update: keys.tenant(scope.tenantId),
    add: { member_count: change },
    ...(change > 0 && {
      condition: anyOf(
        [lacksAttribute("member_count"), lessThan({ member_count: members })],
        () => new ServiceError("forbidden", `This organization has reached its limit of ${members} members.`),
      ),
    }),
  };
}

/** Counts the members of a tenant: people who are recorded and not deactivated. Ids of API keys do not count. */
export async function countMembers(scope: TenantScope): Promise<number> {
  const { gsi1pk } = indexKeys.userOfTenant(scope.tenantId, "");
  const users = (await tenantTable(scope).query({ index: "gsi1", pk: gsi1pk })).map(readUser);
  return users.filter(({ user_id, deactivated_at }) => isPersonId(user_id) && !deactivated_at).length;
}

export const toUserItem = (scope: TenantScope, user: StoredUser): Item => ({
  ...keys.user(scope.tenantId, user.user_id),
  ...indexKeys.userOfTenant(scope.tenantId, user.user_id),
  discriminator: "user",
  timestamp: now(),
  ...user,
});

/** Creates a user, or returns the existing one. @throws ServiceError `forbidden` if the tenant is suspended or has reached its limit of members */
async function createUser(
  scope: TenantScope,
  userId: string,
  { externalId, profile, keyId }: UserAdmission,
): Promise<StoredUser> {
  const tenant = await getOrCreateTenant(scope);
  rejectSuspended(tenant);
  const key = keys.user(scope.tenantId, userId);
  const at = timestamp();
  const user: StoredUser = {
    ...newUser({ userId, ...(externalId !== undefined && { externalId }) }, profile ?? defaultProfile, at),
    last_seen_at: at,
    ...(keyId !== undefined && { key_managed: true, key_uses: { [keyId]: at } }),
  };
  const table = tenantTable(scope);
  const putWrite = { put: toUserItem(scope, user), condition: absent() };
  const countWrite = countMemberWrite(scope, tenant, userId, 1);
  try {
    await (countWrite ? table.transact([putWrite, countWrite]) : table.write(putWrite));
    return user;
  } catch (error) {
    // An eventually consistent read can miss a new user.
    const existing = await table.get(key, { consistent: true });
    if (existing) return readUser(existing);
    throw error;
  }
}

/**
 * Records the user of a request and returns it. Creates the user if necessary; writes only if what is recorded has changed
 * or `last_seen_at` is older than an hour.
 * @throws ServiceError `forbidden` if the user is deactivated, a new user exceeds the limit of members, or a key acts for
 * a user whom no key manages
 */
export async function admitUser(scope: TenantScope, userId: string, admission: UserAdmission): Promise<StoredUser> {
  const key = keys.user(scope.tenantId, userId);
  const user = (await findUser(scope, userId)) ?? (await createUser(scope, userId, admission));
  requireActive(user);
  if (admission.keyId !== undefined && !isKeyManaged(user)) {
    throw new ServiceError(
      "forbidden",
      "API keys act only for people whom a key created and who have never signed in.",
    );
  }
  // A write of what has not changed would undo changes that are newer than the cached user.
  const changed = Object.entries(toRecorded(user, admission)).filter(
    ([name, value]) => !isDeepStrictEqual(user[name as keyof StoredUser], value),
  );
  if (changed.length === 0 && wasSeenLately(user.last_seen_at)) return user;
  const item = await tenantTable(scope).write({
    update: key,
    set: { ...Object.fromEntries(changed), last_seen_at: timestamp() },
    condition: exists(),
  });
  return rememberUser(key.pk, readUser(item as Item));
}

export async function userExists(scope: TenantScope, userId: string): Promise<boolean> {
  return (await tenantTable(scope).get(keys.user(scope.tenantId, userId))) !== undefined;
}

/** Returns which of the ids are those of users. */
export async function findUserIds(scope: TenantScope, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const userKeys = ids.map((id) => keys.user(scope.tenantId, id));
  return new Set((await batchGetAll(tenantTable(scope), userKeys)).map(({ user_id }) => String(user_id)));
}

/** @throws ServiceError `not_found` */
export async function getUser(scope: TenantScope, userId: string): Promise<StoredUser> {
  return readUser(await requireItem(scope, keys.user(scope.tenantId, userId)));
}

async function listPageOf(
  scope: TenantScope,
  list: Partial<ListQuery>,
  request: PageRequest,
): Promise<Page<StoredUser>> {
  const { gsi1pk } = indexKeys.userOfTenant(scope.tenantId, "");
  return mapPage(await listPage(scope, { list: "users", index: "gsi1", pk: gsi1pk, ...list }, request), readUser);
}

/** Returns one page of the users of the tenant, including services of API keys, ordered by id. */
export const listUsers = (scope: TenantScope, request: PageRequest) => listPageOf(scope, {}, request);

/** Returns one page of the users who are people, not services of API keys, ordered by id. */
export const listPeople = (scope: TenantScope, request: PageRequest) =>
  listPageOf(scope, { list: "people", where: ({ gsi1sk }) => isPersonId(String(gsi1sk)) }, request);

/** Activates or deactivates a user. @throws ServiceError `not_found`; `conflict` if nothing changes; `forbidden` beyond the limit of members */
export async function setUserActive(scope: TenantScope, userId: string, isActive: boolean): Promise<StoredUser> {
  const key = keys.user(scope.tenantId, userId);
  const countWrite = countMemberWrite(scope, await getOrCreateTenant(scope), userId, isActive ? 1 : -1);
  await tenantTable(scope).transact([
    {
      update: key,
      set: {
        deactivated_at: isActive ? null : timestamp(),
        ...(isActive && { deprovisioned_at: null }),
        timestamp: now(),
      },
      add: { version: 1 },
      condition: allOf(
        [exists(), isActive ? differs({ deactivated_at: null }) : equals({ deactivated_at: null })],
        (existing) => (existing ? changedConcurrently("The user") : notFound()),
      ),
    },
    ...(countWrite ? [countWrite] : []),
  ]);
  return rememberUser(key.pk, await getUser(scope, userId));
}
