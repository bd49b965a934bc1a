import type { Group } from "../api/tenancy/access.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { keys } from "../dynamodb/keys.ts";
import { type Item, TransactionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { changedConcurrently, invalidField, notFound, ServiceError } from "../lib/errors.ts";
import { retryDelay } from "../lib/retry-delay.ts";

interface StoredGroup extends Group {
  readonly version: number;
}

/** Members that can join or leave in one transaction, which DynamoDB limits to 100 writes. */
const mostMoves = 90;

/** Tries of a change that lost against another one of the same group. */
const attempts = 5;

const groupOf = (item: Item) => item as unknown as StoredGroup;

const nameTaken = () => new ServiceError("conflict", "There is a group of this name.");

function nameWrite(scope: TenantScope, name: string): Write {
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

function checkMoves(moves: number): void {
  if (moves <= mostMoves) return;
  throw invalidField({
    path: "member_ids",
    location: "body",
    code: "too_many_changes",
    message: `at most ${mostMoves} members can be affected by one request`,
  });
}

/**
 * The writes that create a group.
 * @throws ServiceError `validation_failed` for more members than fit one transaction
 */
export function newGroupWrites(scope: TenantScope, group: Group): Write[] {
  checkMoves(group.member_ids.length);
  return [
    nameWrite(scope, group.name),
    {
      put: { ...keys.group(scope.tenantId, group.id), discriminator: "group", timestamp: now(), version: 1, ...group },
      condition: { where: "attribute_not_exists(#pk)" },
    },
    ...group.member_ids.map((user) => joinWrite(scope, group, user)),
  ];
}

/** All groups of the tenant. */
export async function listGroups(scope: TenantScope): Promise<Group[]> {
  return (await tenantTable(scope).query({ pk: keys.group(scope.tenantId, "").pk, prefix: "group#" })).map(groupOf);
}

/** The groups a person is in: found in that person's own partition, so the tenant's other groups cost nothing. */
export async function groupsOf(scope: TenantScope, user: string): Promise<Group[]> {
  const table = tenantTable(scope);
  const { pk } = keys.user(scope.tenantId, user);
  const memberships = await table.query({ pk, prefix: "group#", consistent: true });
  const groupKeys = memberships.map(({ group_id }) => keys.group(scope.tenantId, String(group_id)));
  return (await batchGetAll(table, groupKeys, { consistent: true })).map(groupOf);
}

async function getGroup(scope: TenantScope, id: string): Promise<StoredGroup> {
  const item = await tenantTable(scope).get(keys.group(scope.tenantId, id), { consistent: true });
  if (!item) throw notFound();
  return groupOf(item);
}

/** Carries out writes that were computed from a version of a group; again, from the next version, where that has changed. */
async function withCurrent(
  scope: TenantScope,
  id: string,
  change: (group: StoredGroup) => { writes: Write[]; after: Group },
): Promise<Group> {
  for (let attempt = 1; ; attempt++) {
    const { writes, after } = change(await getGroup(scope, id));
    try {
      await tenantTable(scope).transact(writes);
      return after;
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error;
      if (attempt === attempts) throw changedConcurrently("The group");
      await retryDelay(attempt);
    }
  }
}

const unchanged = (group: StoredGroup) => ({ where: "#version = :version", values: { version: group.version } });

/**
 * Changes a group; who joins and who leaves is noted in their own partitions.
 * @throws ServiceError `not_found`, `conflict`, `validation_failed` for more members than fit one transaction
 */
export async function updateGroup(
  scope: TenantScope,
  id: string,
  changes: Partial<Pick<Group, "name" | "roles" | "member_ids">>,
): Promise<Group> {
  return withCurrent(scope, id, (group) => {
    const after: Group = { ...group, ...changes };
    const renamed = after.name.toLowerCase() !== group.name.toLowerCase();
    const left = group.member_ids.filter((user) => !after.member_ids.includes(user));
    const joined = after.member_ids.filter((user) => !group.member_ids.includes(user));
    checkMoves(left.length + joined.length);
    return {
      after,
      writes: [
        {
          update: keys.group(scope.tenantId, id),
          set: { ...changes, timestamp: now() },
          add: { version: 1 },
          condition: unchanged(group),
        },
        ...(renamed
          ? [nameWrite(scope, after.name), { delete: keys.groupName(scope.tenantId, group.name.toLowerCase()) }]
          : []),
        ...left.map((user) => leaveWrite(scope, group, user)),
        ...joined.map((user) => joinWrite(scope, after, user)),
      ],
    };
  });
}

/**
 * Deletes a group; its roles are gone from its members at once.
 * @throws ServiceError `not_found`, `conflict` where others keep changing it
 */
export async function deleteGroup(scope: TenantScope, id: string): Promise<void> {
  let group = await getGroup(scope, id);
  while (group.member_ids.length > mostMoves) {
    await updateGroup(scope, id, { member_ids: group.member_ids.slice(mostMoves) });
    group = await getGroup(scope, id);
  }
  await withCurrent(scope, id, (current) => ({
    after: current,
    writes: [
      { delete: keys.group(scope.tenantId, id), condition: unchanged(current) },
      { delete: keys.groupName(scope.tenantId, current.name.toLowerCase()) },
      ...current.member_ids.map((user) => leaveWrite(scope, current, user)),
    ],
  }));
}
