import { deleteToolConsentsRoute } from "#shared/api/tools/consents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { deleteToolConsents } from "#shared/tools/consent-store.ts";

export const handler = endpoint(deleteToolConsentsRoute, ({ principal, query }) =>
  deleteToolConsents(principal, query.id),
);
