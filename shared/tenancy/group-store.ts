import * as v from "valibot";
import { Group } from "../api/tenancy/access.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { TransactionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { changedConcurrently, invalidField, notFound, ServiceError } from "../lib/errors.ts";
import { retryDelay } from "../lib/retry-delay.ts";

export const groupAccess = itemAccess("group", "get", "getMany", "query", "put", "update", "delete");
export const groupNameAccess = itemAccess("groupName", "put", "delete");
export const membershipAccess = itemAccess("membership", "query", "put", "delete");

const StoredGroup = v.object({ ...Group.entries, id: v.string(), version: v.number() });
type StoredGroup = v.InferOutput<typeof StoredGroup>;

/** Maximum number of members that join or leave in one transaction, which DynamoDB limits to 100 writes. */
const MAX_MEMBER_CHANGES = 90;

/** Maximum number of attempts to change a group that is changed concurrently. */
const MAX_ATTEMPTS = 5;

const readGroup = itemReader(StoredGroup);

const nameTaken = () => new ServiceError("conflict", "A group with this name already exists.");

function reserveNameWrite(scope: TenantScope, name: string): Write {
  return {
    put: { ...keys.groupName(scope.tenantId, name.toLowerCase()), discriminator: "group-name" },
    condition: { where: "attribute_not_exists(#pk)", onConditionFailed: nameTaken },
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
  throw invalidField({
    path: "member_ids",
    location: "body",
    code: "too_many_changes",
    message: `must add or remove at most ${MAX_MEMBER_CHANGES} members per request`,
  });
}

/**
 * Returns the writes that create a group.
 * @throws ServiceError `validation_failed` if the members exceed one transaction
 */
export function newGroupWrites(scope: TenantScope, group: Group): Write[] {
  assertMemberChangesFit(group.member_ids.length);
  return [
    reserveNameWrite(scope, group.name),
    {
      put: { ...keys.group(scope.tenantId, group.id), discriminator: "group", timestamp: now(), version: 1, ...group },
      condition: { where: "attribute_not_exists(#pk)" },
    },
    ...group.member_ids.map((user) => joinWrite(scope, group, user)),
  ];
}

/** Returns all groups of the tenant. */
export async function listGroups(scope: TenantScope): Promise<Group[]> {
  const { pk } = keys.group(scope.tenantId, "");
  return (await tenantTable(scope).query({ pk, prefix: keyPrefixes.group })).map(readGroup);
}

/** Returns the groups of a user. Memberships are in the user's partition, so the cost is independent of other groups. */
export async function listGroupsOfUser(scope: TenantScope, user: string): Promise<Group[]> {
  const table = tenantTable(scope);
  const { pk } = keys.user(scope.tenantId, user);
  const memberships = await table.query({ pk, prefix: keyPrefixes.membership, consistent: true });
  const groupKeys = memberships.map(({ group_id }) => keys.group(scope.tenantId, String(group_id)));
  return (await batchGetAll(table, groupKeys, { consistent: true })).map(readGroup);
}

async function getGroup(scope: TenantScope, id: string): Promise<StoredGroup> {
  const item = await tenantTable(scope).get(keys.group(scope.tenantId, id), { consistent: true });
  if (!item) throw notFound();
  return readGroup(item);
}

/** Performs writes that are computed from the current version of a group. Retries them if the group changes concurrently. */
async function transactOnCurrent(
  scope: TenantScope,
  id: string,
  toChange: (group: StoredGroup) => Promise<{ writes: Write[]; after: Group }>,
): Promise<Group> {
  for (let attempt = 1; ; attempt++) {
    const { writes, after } = await toChange(await getGroup(scope, id));
    try {
      await tenantTable(scope).transact(writes);
      return after;
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error;
      if (attempt === MAX_ATTEMPTS) throw changedConcurrently("The group");
      await retryDelay(attempt);
    }
  }
}

const unchangedSince = (group: StoredGroup) => ({ where: "#version = :version", values: { version: group.version } });

/**
 * Updates a group and the memberships in the partitions of users who join or leave.
 * @param authorize called with the current and the changed group; throws if the caller may not make the change
 * @throws ServiceError `not_found`, `conflict`, `validation_failed` if the member changes exceed one transaction
 */
export async function updateGroup(
  scope: TenantScope,
  id: string,
  changes: Partial<Pick<Group, "name" | "roles" | "member_ids">>,
  authorize?: (before: Group, after: Group) => Promise<void>,
): Promise<Group> {
  return transactOnCurrent(scope, id, async (group) => {
    const after: Group = { ...group, ...changes };
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
          set: { ...changes, timestamp: now() },
          add: { version: 1 },
          condition: unchangedSince(group),
        },
        ...(renamed
          ? [reserveNameWrite(scope, after.name), { delete: keys.groupName(scope.tenantId, group.name.toLowerCase()) }]
          : []),
        ...left.map((user) => leaveWrite(scope, group, user)),
        ...joined.map((user) => joinWrite(scope, after, user)),
      ],
    };
  });
}

/**
 * Deletes a group. Its members lose its roles immediately.
 * @throws ServiceError `not_found`, `conflict` if concurrent changes exhaust the attempts
 */
export async function deleteGroup(scope: TenantScope, id: string): Promise<void> {
  let group = await getGroup(scope, id);
  while (group.member_ids.length > MAX_MEMBER_CHANGES) {
    await updateGroup(scope, id, { member_ids: group.member_ids.slice(MAX_MEMBER_CHANGES) });
    group = await getGroup(scope, id);
  }
  await transactOnCurrent(scope, id, async (current) => ({
    after: current,
    writes: [
      { delete: keys.group(scope.tenantId, id), condition: unchangedSince(current) },
      { delete: keys.groupName(scope.tenantId, current.name.toLowerCase()) },
      ...current.member_ids.map((user) => leaveWrite(scope, current, user)),
    ],
  }));
}
