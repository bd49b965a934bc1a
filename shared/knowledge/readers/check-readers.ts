import { GROUP_READER, PERSON_READER } from "../../api/knowledge/reader-names.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { invalidField } from "../../lib/errors.ts";
import { findGroupIds } from "../../tenancy/group-store.ts";
import { findUserIds } from "../../tenancy/user-store.ts";

const idsOf = (readers: readonly string[], prefix: string) =>
  readers.flatMap((reader) => (reader.startsWith(prefix) ? [reader.slice(prefix.length)] : []));

/**
 * Requires that all named groups and people exist. Every user sees the groups and people of the tenant, and so can name any.
 * Readers that a list already had are not checked, so that a list with a deleted group can be changed.
 * @throws ServiceError `validation_failed` that names the readers that do not exist
 */
export async function requireKnownReaders(
  scope: TenantScope,
  readers: readonly string[] | null | undefined,
  before: readonly string[] | null = [],
): Promise<void> {
  const added = (readers ?? []).filter((reader) => !before?.includes(reader));
  const [groups, people] = [idsOf(added, GROUP_READER), idsOf(added, PERSON_READER)];
  const [groupIds, userIds] = await Promise.all([
    groups.length > 0 ? findGroupIds(scope, groups) : new Set<string>(),
    people.length > 0 ? findUserIds(scope, people) : new Set<string>(),
  ]);
  const unknown = [
    ...groups.filter((id) => !groupIds.has(id)).map((id) => GROUP_READER + id),
    ...people.filter((id) => !userIds.has(id)).map((id) => PERSON_READER + id),
  ];
  if (unknown.length === 0) return;
  throw invalidField("readers", "unknown_reader", `must name existing groups and people, not ${unknown.join(", ")}`);
}
