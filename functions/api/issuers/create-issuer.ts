import { type Capability, capabilities } from "#shared/api/capabilities.ts";
import { createIssuerRoute } from "#shared/api/tenancy/issuers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";
import { authorizeGrant } from "#shared/tenancy/access-rights.ts";
import { discoverKeySet } from "#shared/tenancy/issuers/discover-key-set.ts";
import { createIssuer } from "#shared/tenancy/issuers/issuer-store.ts";

export const handler = endpoint(createIssuerRoute, async ({ principal, rights, body }) => {
  authorizeGrant((await rights()).permissions, Object.keys(capabilities) as Capability[]);
  const created = {
    id: newId(),
    ...body,
    jwks_url: await discoverKeySet(body.issuer),
    created_at: timestamp(),
    created_by: principal.userId,
  };
  await createIssuer(principal, created);
  return created;
});
