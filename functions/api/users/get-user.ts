import { getUserRoute } from "#shared/api/tenancy/users.ts";
import { listLinksOfUser } from "#shared/conversations/sharing/share-link-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listGroupsOfUser } from "#shared/tenancy/group-store.ts";
import { toUserReply } from "#shared/tenancy/members/user-reply.ts";
import { getUser } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(getUserRoute, async ({ principal, params: { user_id } }) => {
  const [user, groups, links] = await Promise.all([
    getUser(principal, user_id),
    listGroupsOfUser(principal, user_id),
    listLinksOfUser(principal, user_id),
  ]);
  return { ...toUserReply(user, groups), share_links: links };
});
