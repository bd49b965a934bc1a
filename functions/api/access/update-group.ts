import { updateGroup } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as groups from "#shared/tenancy/group-store.ts";

export const handler = endpoint(updateGroup, ({ principal, params, body }) =>
  groups.updateGroup(principal, params.id, body),
);
