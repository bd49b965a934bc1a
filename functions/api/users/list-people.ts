import { listPeopleRoute } from "#shared/api/tenancy/users.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { externalIdOf } from "#shared/tenancy/stored-user.ts";
import { listPeople } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(listPeopleRoute, async ({ principal, query: { limit, cursor } }) => {
  const { entries, next } = await listPeople(principal, { limit, ...(cursor && { cursor }) });
  const people = entries.map((user) => ({
    id: user.user_id,
    external_id: externalIdOf(user),
    name: user.name,
    is_active: !user.deactivated_at,
  }));
  return pageReply("people", { entries: people, next }, limit);
});
