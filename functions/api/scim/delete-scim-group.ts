import { deleteScimGroupRoute } from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { requireVersion } from "#shared/scim/require-version.ts";
import { scimFormat } from "#shared/scim/scim-format.ts";
import { deleteGroup, getGroup } from "#shared/tenancy/group-store.ts";

export const handler = endpoint(
  deleteScimGroupRoute,
  async ({ principal, headers, params }) => {
    requireVersion(headers, await getGroup(principal, params.id));
    await deleteGroup(principal, params.id);
  },
  scimFormat,
);
