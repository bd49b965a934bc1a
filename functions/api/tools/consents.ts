import { deleteToolConsentsRoute, listToolConsentsRoute } from "#shared/api/tools/consents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { deleteToolConsents, listToolConsents } from "#shared/tools/consent-store.ts";

export const deleteToolConsentsHandler = endpoint(deleteToolConsentsRoute, ({ principal, query }) =>
  deleteToolConsents(principal, query.id),
);

export const listToolConsentsHandler = endpoint(listToolConsentsRoute, async ({ principal }) => {
  const stored = await listToolConsents(principal);
  return { consents: stored.map(({ definition_hash: _, ...consent }) => consent) };
});
