import { listGroups } from "#shared/api/access.ts";
import * as groups from "#shared/data/group-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listGroups, async ({ principal }) => ({ groups: await groups.listGroups(principal) }));
