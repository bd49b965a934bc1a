import { capabilities } from "#shared/api/capabilities.ts";
import { listPermissions } from "#shared/api/tenancy/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listPermissions, async () => ({
  permissions: Object.entries(capabilities).map(([name, description]) => ({ name, description })),
}));
