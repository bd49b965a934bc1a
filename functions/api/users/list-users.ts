import { listUsersRoute } from "#shared/api/tenancy/users.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listGroups } from "#shared/tenancy/group-store.ts";
import { toUserReply } from "#shared/tenancy/members/user-reply.ts";
import { listUsers } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(listUsersRoute, async ({ principal, query: { limit, cursor } }) => {
  const request = { limit, ...(cursor && { cursor }) };
  const [{ entries, next }, groups] = await Promise.all([listUsers(principal, request), listGroups(principal)]);
  const replies = entries.map((user) => {
    const own = groups.filter(({ member_ids }) => member_ids.includes(user.user_id));
    return toUserReply(user, own);
  });
  return pageReply("users", { entries: replies, next }, limit);
});
