import { listToolConsentsRoute } from "#shared/api/tools/consents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listToolConsents } from "#shared/tools/consent-store.ts";

export const handler = endpoint(listToolConsentsRoute, async ({ principal }) => {
  const stored = await listToolConsents(principal);
  return { consents: stored.map(({ definition_hash: _, ...consent }) => consent) };
});
