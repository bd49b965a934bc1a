import { listGroups } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as groups from "#shared/tenancy/group-store.ts";

export const handler = endpoint(listGroups, async ({ principal }) => ({ groups: await groups.listGroups(principal) }));
