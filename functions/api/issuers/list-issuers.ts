import { listIssuers } from "#shared/api/tenancy/issuers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as issuers from "#shared/tenancy/issuers/issuer-store.ts";

export const handler = endpoint(listIssuers, async ({ principal }) => ({
  issuers: await issuers.listIssuers(principal),
}));
