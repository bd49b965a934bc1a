import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { isPersonId } from "../auth/principal.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { type ListQuery, listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import {
  absent,
  allOf,
  anyOf,
  differs,
  exists,
  hasAttribute,
  type Item,
  lacksAttribute,
  lessThan,
  not,
  type Write,
} from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound, ServiceError } from "../lib/errors.ts";
import { getOrCreateTenant, rejectSuspended, type Tenant } from "./tenant-store.ts";

export const userAccess = itemAccess("user", "get", "queryIndex", "put", "update");

/** Attributes of SCIM that an identity provider wrote, without `active`. */
const ProvisionedProfile = v.object({
  attributes: v.record(v.string(), v.unknown()),
  modified_at: v.string(),
});

const StoredUser = v.object({
  user_id: v.string(),
  /** Role names of the user's latest token, or of a user whom only API keys have named. */
  roles: v.optional(v.array(v.string()), []),
  /** Names of groups in the latest token that had such a claim. */
  token_groups: v.optional(v.array(v.string()), []),
  name: v.optional(v.nullable(v.string()), null),
  email: v.optional(v.nullable(v.string()), null),
  last_seen_at: v.optional(v.nullable(v.string()), null),
  /** Set while the user is deactivated. */
  deactivated_at: v.optional(v.nullable(v.string()), null),
  /** Profile that the identity provider provisioned; null for users who appeared with a token. */
  scim: v.optional(v.nullable(ProvisionedProfile), null),
  /** Set after the identity provider deleted the user, until the user is active again. */
  deprovisioned_at: v.optional(v.nullable(v.string()), null),
  /** Incremented by each change that a token does not cause. */
  version: v.optional(v.number(), 0),
  created_at: v.string(),
});
/** User of a tenant. It is created with the user's first request. */
export type StoredUser = v.InferOutput<typeof StoredUser>;

/** Statements of a token about its user. */
export type Profile = Pick<StoredUser, "roles" | "name" | "email"> & Partial<Pick<StoredUser, "token_groups">>;

export const readUser = itemReader(StoredUser);

/** Cache TTL of a user. A deactivation takes effect within this time, and on streams after their next check. */
const CACHE_TTL_MS = 15_000;

/** Precision of `last_seen_at`: a user who sends many requests causes one write in this time. */
const LAST_SEEN_PRECISION_MS = 3_600_000;

const MAX_CACHE_ENTRIES = 10_000;
const cache = new Map<string, { readonly user: StoredUser; readonly readAt: number }>();

/** Replaces the cached user. */
export function rememberUser(pk: string, user: StoredUser): StoredUser {
  if (cache.size >= MAX_CACHE_ENTRIES) cache.clear();
  cache.set(pk, { user, readAt: now() });
  return user;
}

/** Returns a user as it was at most 15 seconds ago. */
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

/** Returns the write that counts a member more or less; null in a tenant without a limit, and for the services of API keys. */
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

/** Returns the number of members of a tenant: people who have made a request and are not deactivated. */
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

/** @throws ServiceError `forbidden` if the tenant is suspended or has reached its limit of members */
async function createUser(scope: TenantScope, userId: string, profile: Profile): Promise<StoredUser> {
  const tenant = await getOrCreateTenant(scope);
  rejectSuspended(tenant);
  const key = keys.user(scope.tenantId, userId);
  const at = timestamp();
  const user: StoredUser = { ...newUser(userId, profile, at), last_seen_at: at };
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

/** Returns a user who has made no request. */
export const newUser = (userId: string, profile: Profile, at: string): StoredUser => ({
  user_id: userId,
  token_groups: [],
  ...profile,
  last_seen_at: null,
  deactivated_at: null,
  scim: null,
  deprovisioned_at: null,
  version: 0,
  created_at: at,
});

const wasSeenLately = ({ last_seen_at }: StoredUser) =>
  last_seen_at !== null && now() - Date.parse(last_seen_at) < LAST_SEEN_PRECISION_MS;

/** Profile of users whom an API key named before any token did. */
export const defaultProfile: Profile = { roles: ["member"], name: null, email: null };

/** Returns the profile to record: what the identity provider provisioned stays, and a token adds what is missing. */
function toRecordedProfile(user: StoredUser, profile: Profile = user): Required<Profile> {
  const { roles, name, email, token_groups = user.token_groups } = profile;
  if (!user.scim) return { roles, name, email, token_groups };
  return { roles, name: user.name ?? name, email: user.email ?? email, token_groups };
}

/**
 * Records the user of a request, unless the same is recorded already, and requires that the user is active.
 * @param profile what the user's token says; undefined for a user whom an API key names
 * @throws ServiceError `forbidden` if the user is deactivated
 */
export async function admitUser(scope: TenantScope, userId: string, profile?: Profile): Promise<StoredUser> {
  const key = keys.user(scope.tenantId, userId);
  const user = (await findUser(scope, userId)) ?? (await createUser(scope, userId, profile ?? defaultProfile));
  requireActive(user);
  const current = toRecordedProfile(user, profile);
  if (wasSeenLately(user) && isDeepStrictEqual(current, toRecordedProfile(user))) return user;
  const item = await tenantTable(scope).write({
    update: key,
    set: { ...current, last_seen_at: timestamp() },
    condition: exists(),
  });
  return rememberUser(key.pk, readUser(item as Item));
}

export async function userExists(scope: TenantScope, userId: string): Promise<boolean> {
  return (await tenantTable(scope).get(keys.user(scope.tenantId, userId))) !== undefined;
}

/** @throws ServiceError `not_found` */
export async function getUser(scope: TenantScope, userId: string): Promise<StoredUser> {
  const item = await tenantTable(scope).get(keys.user(scope.tenantId, userId), { consistent: true });
  if (!item) throw notFound();
  return readUser(item);
}

async function listPageOf(
  scope: TenantScope,
  list: Partial<ListQuery>,
  request: PageRequest,
): Promise<Page<StoredUser>> {
  const { gsi1pk } = indexKeys.userOfTenant(scope.tenantId, "");
  const page = await listPage(scope, { list: "users", index: "gsi1", pk: gsi1pk, ...list }, request);
  return { ...page, entries: page.entries.map(readUser) };
}

/** Returns one page of the users of the tenant, in order of their ids. */
export const listUsers = (scope: TenantScope, request: PageRequest) => listPageOf(scope, {}, request);

/** Returns one page of the users who are people and not services, in order of their ids. */
export const listPeople = (scope: TenantScope, request: PageRequest) =>
  listPageOf(scope, { list: "people", where: ({ gsi1sk }) => isPersonId(gsi1sk) }, request);

/**
 * Deactivates an active user, or reactivates one that is not.
 * @throws ServiceError `not_found`; `conflict` if the user is that already; `forbidden` if the tenant has reached its limit of members
 */
export async function setUserActive(scope: TenantScope, userId: string, isActive: boolean): Promise<StoredUser> {
  const key = keys.user(scope.tenantId, userId);
  const countWrite = countMemberWrite(scope, await getOrCreateTenant(scope), userId, isActive ? 1 : -1);
  const isDeactivated = allOf([hasAttribute("deactivated_at"), differs({ deactivated_at: null })]);
  await tenantTable(scope).transact([
    {
      update: key,
      set: {
        deactivated_at: isActive ? null : timestamp(),
        ...(isActive && { deprovisioned_at: null }),
        timestamp: now(),
      },
      add: { version: 1 },
      condition: allOf([exists(), isActive ? isDeactivated : not(isDeactivated)], (existing) =>
        existing ? changedConcurrently("The user") : notFound(),
      ),
    },
    ...(countWrite ? [countWrite] : []),
  ]);
  return rememberUser(key.pk, await getUser(scope, userId));
}
