import { listToolConsents } from "#shared/api/tools/consents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as consents from "#shared/tools/consent-store.ts";

export const handler = endpoint(listToolConsents, async ({ principal }) => {
  const stored = await consents.listToolConsents(principal);
  return { consents: stored.map(({ definition_hash: _, ...consent }) => consent) };
});
