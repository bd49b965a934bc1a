import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { newId } from "../lib/ids.ts";
import { authorizeRoleGrant } from "../tenancy/access-rights.ts";
import {
  findGroup,
  findGroupIdByName,
  listStoredGroups,
  MAX_MEMBER_CHANGES,
  newGroupWrites,
  type StoredGroup,
  updateGroup,
} from "../tenancy/group-store.ts";
import { type Projection, projectAttributes } from "./attributes.ts";
import type { ChangeRequest } from "./change-user.ts";
import { findRequiredValue, matchesFilter, parseFilter, type ScimObject } from "./filter.ts";
import { toProvisionedGroup, toScimGroup } from "./group-resource.ts";
import { type ListRequest, toList } from "./list.ts";
import { requireVersion } from "./require-version.ts";
import { attributesOf, groupSchema } from "./schemas.ts";

const attributes = attributesOf(groupSchema);

/** Lists the groups that match a filter (RFC 7644, section 3.4.2). */
export async function listScimGroups(
  scope: TenantScope,
  base: string,
  { filter: text, ...request }: { readonly filter?: string | undefined } & ListRequest & Projection,
) {
  const filter = text === undefined ? undefined : parseFilter(text);
  const name = findRequiredValue(filter, "displayName");
  const id = findRequiredValue(filter, "id") ?? (name && (await findGroupIdByName(scope, name)));
  const groups = id ? [await findGroup(scope, id)] : await listStoredGroups(scope);
  const resources = groups.filter((group) => group !== undefined).map((group) => toScimGroup(base, group));
  const matching = filter ? resources.filter((each) => matchesFilter(each, attributes, filter)) : resources;
  return toList(matching, request, (resource) => projectAttributes(resource, request));
}

/** Returns the members after the changes that fit into one transaction; removals come first. */
function changeMembers(before: readonly string[], after: readonly string[]): string[] {
  const [current, wanted] = [new Set(before), new Set(after)];
  const left = before.filter((user) => !wanted.has(user)).slice(0, MAX_MEMBER_CHANGES);
  const joined = after.filter((user) => !current.has(user)).slice(0, MAX_MEMBER_CHANGES - left.length);
  const leaving = new Set(left);
  return [...before.filter((user) => !leaving.has(user)), ...joined];
}

/**
 * Changes a group, in several transactions if many members change.
 * @param toBody returns the complete group after the change, from the current one
 * @throws ServiceError `not_found`, `precondition_failed`, `conflict` if another group has the name; `forbidden` if members
 * are added and the caller lacks permissions of the group's roles
 */
export async function changeScimGroup(
  { scope, permissions, headers }: ChangeRequest,
  id: string,
  toBody: (group: StoredGroup) => ScimObject,
): Promise<StoredGroup> {
  for (let isFirst = true; ; isFirst = false) {
    let isComplete = true;
    const toChanges = (group: StoredGroup) => {
      if (isFirst) requireVersion(headers, group);
      const target = toProvisionedGroup(toBody(group));
      const member_ids = changeMembers(group.member_ids, target.member_ids);
      isComplete =
        member_ids.length === target.member_ids.length && target.member_ids.every((each) => member_ids.includes(each));
      return { ...target, member_ids };
    };
    const group = await updateGroup(scope, id, toChanges, async (before, after) => {
      const isJoined = after.member_ids.some((user) => !before.member_ids.includes(user));
      if (isJoined) await authorizeRoleGrant(scope, permissions, after.roles);
    });
    if (isComplete) return group;
  }
}

/**
 * Creates a group, in several transactions if it has many members.
 * @throws ServiceError `conflict` if a group with the name exists
 */
export async function createScimGroup(request: ChangeRequest, body: ScimObject): Promise<StoredGroup> {
  const { scope } = request;
  const target = toProvisionedGroup(body);
  const group = { id: newId(), roles: [], ...target, member_ids: target.member_ids.slice(0, MAX_MEMBER_CHANGES) };
  await tenantTable(scope).transact(newGroupWrites(scope, group));
  if (target.member_ids.length > MAX_MEMBER_CHANGES) {
    return changeScimGroup({ ...request, headers: {} }, group.id, () => body);
  }
  return { ...group, version: 1 };
}
