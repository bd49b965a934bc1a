import { listPeopleRoute } from "#shared/api/tenancy/users.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listPeople } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(listPeopleRoute, async ({ principal, query: { limit, cursor } }) => {
  const { entries, next } = await listPeople(principal, { limit, ...(cursor && { cursor }) });
  const people = entries.map(({ user_id: id, name, deactivated_at }) => ({ id, name, is_active: !deactivated_at }));
  return pageReply("people", { entries: people, next }, limit);
});
