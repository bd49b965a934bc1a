import { capabilities } from "#shared/api/capabilities.ts";
import { listPermissionsRoute } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listPermissionsRoute, async () => ({
  permissions: Object.entries(capabilities).map(([name, description]) => ({ name, description })),
}));
