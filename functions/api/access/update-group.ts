import { updateGroup } from "#shared/api/access.ts";
import * as groups from "#shared/data/group-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateGroup, ({ principal, params, body }) =>
  groups.updateGroup(principal, params.id, body),
);
