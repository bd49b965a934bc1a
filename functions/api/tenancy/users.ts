import { getUserRoute, listPeopleRoute, listUsersRoute, updateUserRoute } from "#shared/api/tenancy/users.ts";
import { listLinksOfUser } from "#shared/conversations/sharing/share-link-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { authorizeGrant, resolveUserRights } from "#shared/tenancy/access-rights.ts";
import { listGroups, listGroupsOfUser } from "#shared/tenancy/group-store.ts";
import { toUserReply } from "#shared/tenancy/members/user-reply.ts";
import { externalIdOf } from "#shared/tenancy/stored-user.ts";
import { getUser, listPeople, listUsers, setUserActive } from "#shared/tenancy/user-store.ts";

export const getUserHandler = endpoint(getUserRoute, async ({ principal, params: { user_id } }) => {
  const [user, groups, links] = await Promise.all([
    getUser(principal, user_id),
    listGroupsOfUser(principal, user_id),
    listLinksOfUser(principal, user_id),
  ]);
  return { ...toUserReply(user, groups), share_links: links };
});

export const listPeopleHandler = endpoint(listPeopleRoute, async ({ principal, query: { limit, cursor } }) => {
  const { entries, next } = await listPeople(principal, { limit, ...(cursor && { cursor }) });
  const people = entries.map((user) => ({
    id: user.user_id,
    external_id: externalIdOf(user),
    name: user.name,
    is_active: !user.deactivated_at,
  }));
  return pageReply("people", { entries: people, next }, limit);
});

export const listUsersHandler = endpoint(listUsersRoute, async ({ principal, query: { limit, cursor } }) => {
  const request = { limit, ...(cursor && { cursor }) };
  const [{ entries, next }, groups] = await Promise.all([listUsers(principal, request), listGroups(principal)]);
  const replies = entries.map((user) => {
    const own = groups.filter(({ member_ids }) => member_ids.includes(user.user_id));
    return toUserReply(user, own);
  });
  return pageReply("users", { entries: replies, next }, limit);
});

export const updateUserHandler = endpoint(
  updateUserRoute,
  async ({ principal, rights, params: { user_id }, body: { is_active } }) => {
    const current = await getUser(principal, user_id);
    const groups = await listGroupsOfUser(principal, user_id);
    if ((current.deactivated_at === null) === is_active) return toUserReply(current, groups);
    if (!is_active && [principal.userId, principal.apiKey?.creatorId].includes(user_id)) {
      throw new ServiceError("forbidden", "You cannot deactivate yourself.");
    }
    const { permissions } = await resolveUserRights(principal, { userId: user_id, roles: current.roles });
    authorizeGrant((await rights()).permissions, permissions);
    return toUserReply(await setUserActive(principal, user_id, is_active), groups);
  },
);
