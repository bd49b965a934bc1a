import { listIssuersRoute } from "#shared/api/tenancy/issuers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listIssuers } from "#shared/tenancy/issuers/issuer-store.ts";

export const handler = endpoint(listIssuersRoute, async ({ principal }) => ({
  issuers: await listIssuers(principal),
}));
