import { getUserRoute } from "#shared/api/tenancy/users.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listGroupsOfUser } from "#shared/tenancy/group-store.ts";
import { toUserReply } from "#shared/tenancy/members/user-reply.ts";
import { getUser } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(getUserRoute, async ({ principal, params }) =>
  toUserReply(await getUser(principal, params.user_id), await listGroupsOfUser(principal, params.user_id)),
);
