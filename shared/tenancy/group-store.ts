import * as v from "valibot";
import { Group } from "../api/tenancy/access.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { absent, TransactionFailed, unchanged, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { changedConcurrently, invalidField, requireFound, ServiceError } from "../lib/errors.ts";
import { retry } from "../lib/retry.ts";

const StoredGroup = v.object({
  ...Group.entries,
  id: v.string(),
  version: v.number(),
  /** Id of the group at the identity provider that provisions it; null for other groups. */
  external_id: v.optional(v.nullable(v.string()), null),
  /** Time of the last change in epoch milliseconds. */
  timestamp: v.optional(v.number()),
});
export type StoredGroup = v.InferOutput<typeof StoredGroup>;

/**
 * Maximum number of members that can join or leave in one request. They are one transaction, which DynamoDB limits to
 * 100 writes.
 */
export const MAX_MEMBER_CHANGES = 90;

/** Maximum number of attempts to change a group while others change it concurrently. */
const MAX_ATTEMPTS = 5;

const readGroup = itemReader(StoredGroup);

export class GroupNameTaken extends ServiceError {
  constructor() {
    super("conflict", "A group with this name already exists.");
  }
}

function reserveNameWrite(scope: TenantScope, { id, name }: Pick<Group, "id" | "name">): Write {
  return {
    put: { ...keys.groupName(scope.tenantId, name.toLowerCase()), discriminator: "group-name", group_id: id },
    condition: absent(() => new GroupNameTaken()),
  };
}

const joinWrite = (scope: TenantScope, group: Group, user: string): Write => ({
  put: { ...keys.membership(scope.tenantId, user, group.id), discriminator: "membership", group_id: group.id },
});

const leaveWrite = (scope: TenantScope, group: Group, user: string): Write => ({
  delete: keys.membership(scope.tenantId, user, group.id),
});

function assertMemberChangesFit(changeCount: number): void {
  if (changeCount <= MAX_MEMBER_CHANGES) return;
  throw invalidField(
    "member_ids",
    "too_many_changes",
    `must add or remove at most ${MAX_MEMBER_CHANGES} members per request`,
  );
}

/**
 * Returns the writes that create a group.
 * @throws ServiceError `validation_failed` if there are more than `MAX_MEMBER_CHANGES` members
 */
export function newGroupWrites(scope: TenantScope, group: Group): Write[] {
  assertMemberChangesFit(group.member_ids.length);
  return [
    reserveNameWrite(scope, group),
    {
      put: { ...keys.group(scope.tenantId, group.id), discriminator: "group", timestamp: now(), version: 1, ...group },
      condition: absent(),
    },
    ...group.member_ids.map((user) => joinWrite(scope, group, user)),
  ];
}

/** Returns the id of the group with a name, compared without case. */
export async function findGroupIdByName(scope: TenantScope, name: string): Promise<string | undefined> {
  const item = await tenantTable(scope).get(keys.groupName(scope.tenantId, name.toLowerCase()), { consistent: true });
  return item?.group_id as string | undefined;
}

export const listGroups = (scope: TenantScope): Promise<Group[]> => listStoredGroups(scope);

/** Returns all groups of the tenant with their versions and external ids. */
export async function listStoredGroups(scope: TenantScope): Promise<StoredGroup[]> {
  const { pk } = keys.group(scope.tenantId, "");
  return (await tenantTable(scope).query({ pk, prefix: keyPrefixes.group })).map(readGroup);
}

/**
 * Returns the ids of a user's groups. Memberships are stored in the user's partition, so the cost does not depend on the
 * number of groups in the tenant.
 */
export async function listGroupIdsOfUser(scope: TenantScope, user: string): Promise<string[]> {
  const { pk } = keys.user(scope.tenantId, user);
  const memberships = await tenantTable(scope).query({ pk, prefix: keyPrefixes.membership, consistent: true });
  return memberships.map(({ group_id }) => String(group_id));
}

export async function listGroupsOfUser(scope: TenantScope, user: string): Promise<Group[]> {
  const ids = await listGroupIdsOfUser(scope, user);
  const groupKeys = ids.map((id) => keys.group(scope.tenantId, id));
  return (await batchGetAll(tenantTable(scope), groupKeys, { consistent: true })).map(readGroup);
}

/** Returns which of the ids are those of groups. */
export async function findGroupIds(scope: TenantScope, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const groupKeys = ids.map((id) => keys.group(scope.tenantId, id));
  return new Set((await batchGetAll(tenantTable(scope), groupKeys, { consistent: true })).map(({ id }) => String(id)));
}

export async function findGroup(scope: TenantScope, id: string): Promise<StoredGroup | undefined> {
  const item = await tenantTable(scope).get(keys.group(scope.tenantId, id), { consistent: true });
  return item && readGroup(item);
}

/** @throws ServiceError `not_found` */
export async function getGroup(scope: TenantScope, id: string): Promise<StoredGroup> {
  return requireFound(await findGroup(scope, id));
}

/**
 * Commits writes that are computed from the current version of a group. If it changes concurrently, they are computed
 * again, up to `MAX_ATTEMPTS` times.
 */
async function transactOnCurrent(
  scope: TenantScope,
  id: string,
  toChange: (group: StoredGroup) => Promise<{ writes: Write[]; after: StoredGroup }>,
): Promise<StoredGroup> {
  const change = async () => {
    const { writes, after } = await toChange(await getGroup(scope, id));
    await tenantTable(scope).transact(writes);
    return after;
  };
  const isRetryable = (error: unknown) => error instanceof TransactionFailed;
  return retry(change, { maxAttempts: MAX_ATTEMPTS, isRetryable, toError: () => changedConcurrently("The group") });
}

type GroupChanges = Partial<Pick<StoredGroup, "name" | "roles" | "member_ids" | "external_id">>;

/**
 * Updates a group, and the membership items of users who join or leave.
 * @param toChanges returns the changes to the current version of the group
 * @param authorize receives the current and the changed group; throws if the caller may not make the change
 * @throws ServiceError `not_found`, `conflict`, `validation_failed` for more than `MAX_MEMBER_CHANGES` member changes
 */
export async function updateGroup(
  scope: TenantScope,
  id: string,
  toChanges: (group: StoredGroup) => GroupChanges,
  authorize?: (before: Group, after: Group) => Promise<void>,
): Promise<StoredGroup> {
  return transactOnCurrent(scope, id, async (group) => {
    const changes = toChanges(group);
    const timestamp = now();
    const after: StoredGroup = { ...group, ...changes, version: group.version + 1, timestamp };
    await authorize?.(group, after);
    const renamed = after.name.toLowerCase() !== group.name.toLowerCase();
    const left = group.member_ids.filter((user) => !after.member_ids.includes(user));
    const joined = after.member_ids.filter((user) => !group.member_ids.includes(user));
    assertMemberChangesFit(left.length + joined.length);
    return {
      after,
      writes: [
        {
          update: keys.group(scope.tenantId, id),
          set: { ...changes, timestamp },
          add: { version: 1 },
          condition: unchanged(group, "version"),
        },
        ...(renamed
          ? [reserveNameWrite(scope, after), { delete: keys.groupName(scope.tenantId, group.name.toLowerCase()) }]
          : []),
        ...left.map((user) => leaveWrite(scope, group, user)),
        ...joined.map((user) => joinWrite(scope, after, user)),
      ],
    };
  });
}

export async function addMembership(scope: TenantScope, id: string, user: string): Promise<void> {
  await updateGroup(scope, id, ({ member_ids }) => ({ member_ids: [...new Set([...member_ids, user])] }));
}

/**
 * Removes a user from a group; does nothing if the user is no member.
 * @throws ServiceError `not_found` if the group does not exist
 */
export async function deleteMembership(scope: TenantScope, id: string, user: string): Promise<void> {
  await updateGroup(scope, id, ({ member_ids }) => ({ member_ids: member_ids.filter((each) => each !== user) }));
}

/**
 * Deletes a group. Its members lose its roles immediately.
 * @throws ServiceError `not_found`, `conflict` if it keeps changing concurrently
 */
export async function deleteGroup(scope: TenantScope, id: string): Promise<void> {
  let group = await getGroup(scope, id);
  while (group.member_ids.length > MAX_MEMBER_CHANGES) {
    await updateGroup(scope, id, ({ member_ids }) => ({ member_ids: member_ids.slice(MAX_MEMBER_CHANGES) }));
    group = await getGroup(scope, id);
  }
  await transactOnCurrent(scope, id, async (current) => ({
    after: current,
    writes: [
      { delete: keys.group(scope.tenantId, id), condition: unchanged(current, "version") },
      { delete: keys.groupName(scope.tenantId, current.name.toLowerCase()) },
      ...current.member_ids.map((user) => leaveWrite(scope, current, user)),
    ],
  }));
}
