import { toIdentity } from "../auth/principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { listGroups, listGroupsOfUser } from "../tenancy/group-store.ts";
import {
  findProvisionableUser,
  findUserIdByScimName,
  listProvisionableUsers,
} from "../tenancy/members/provisioned-user-store.ts";
import type { StoredUser } from "../tenancy/stored-user.ts";
import { isReturned, type Projection, projectAttributes } from "./attributes.ts";
import { type Filter, findRequiredValue, matchesFilter, parseFilter, type ScimObject } from "./filter.ts";
import { type ListRequest, toList } from "./list.ts";
import { attributesOf, userSchema } from "./schemas.ts";
import { resourceReply } from "./scim-format.ts";
import { toScimUser } from "./user-resource.ts";

const attributes = attributesOf(userSchema);

/**
 * Finds the users that match a filter by a unique attribute: one or none. Returns null if the filter requires no unique
 * attribute, so that all users must be searched.
 */
async function findByUniqueAttribute(scope: TenantScope, filter: Filter | undefined): Promise<StoredUser[] | null> {
  const [id, userName, externalId] = ["id", "userName", "externalId"].map((name) => findRequiredValue(filter, name));
  const toUser = async (userId: string | undefined) =>
    userId === undefined ? [] : [await findProvisionableUser(scope, userId)].filter((user) => user !== undefined);
  if (id !== undefined) return toUser(id);
  if (externalId !== undefined) {
    return toUser(await findUserIdByScimName(scope, { kind: "external-id", name: externalId }));
  }
  if (userName === undefined) return null;
  const userId = await findUserIdByScimName(scope, { kind: "user-name", name: userName.toLowerCase() });
  // The id of a user whom no identity provider provisioned is derived from the name.
  return toUser(userId ?? toIdentity(userName)?.userId);
}

/** Returns a response with a user. Reads the user's groups only if the response contains them. */
export async function userReply(
  status: 200 | 201,
  scope: TenantScope,
  base: string,
  user: StoredUser,
  projection: Projection,
) {
  const groups = isReturned("groups", projection) ? await listGroupsOfUser(scope, user.user_id) : undefined;
  return resourceReply(status, toScimUser(base, user, groups), projection);
}

/** Lists the users that match a filter (RFC 7644, section 3.4.2). */
export async function listScimUsers(
  scope: TenantScope,
  base: string,
  { filter: text, ...request }: { readonly filter?: string | undefined } & ListRequest & Projection,
) {
  const filter = text === undefined ? undefined : parseFilter(text);
  const found = await findByUniqueAttribute(scope, filter);
  const needsGroups = isReturned("groups", request) || /\bgroups\b/i.test(text ?? "");
  const [users, groups] = await Promise.all([
    found ?? listProvisionableUsers(scope),
    needsGroups && !found ? listGroups(scope) : [],
  ]);
  const toResource = async (user: StoredUser): Promise<ScimObject> => {
    const { user_id: id } = user;
    const own =
      found && needsGroups ? await listGroupsOfUser(scope, id) : groups.filter((each) => each.member_ids.includes(id));
    return toScimUser(base, user, needsGroups ? own : undefined);
  };
  const resources = await Promise.all(users.map(toResource));
  const matching = filter ? resources.filter((each) => matchesFilter(each, attributes, filter)) : resources;
  return toList(matching, request, (resource) => projectAttributes(resource, request));
}
