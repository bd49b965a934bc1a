import { deleteGroupRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { deleteGroup } from "#shared/tenancy/group-store.ts";

export const handler = endpoint(deleteGroupRoute, ({ principal, params }) => deleteGroup(principal, params.id));
