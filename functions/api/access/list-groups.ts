import { listGroupsRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listGroups } from "#shared/tenancy/group-store.ts";

export const handler = endpoint(listGroupsRoute, async ({ principal }) => ({
  groups: await listGroups(principal),
}));
