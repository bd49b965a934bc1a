import { listPeople } from "#shared/api/tenancy/users.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import * as users from "#shared/tenancy/user-store.ts";

export const handler = endpoint(listPeople, async ({ principal, query: { limit, cursor } }) => {
  const { entries, next } = await users.listPeople(principal, { limit, ...(cursor && { cursor }) });
  const people = entries.map(({ user_id: id, name, deactivated_at }) => ({ id, name, is_active: !deactivated_at }));
  return pageReply("people", { entries: people, next }, limit);
});
