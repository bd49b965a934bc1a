import { deleteIssuerRoute } from "#shared/api/tenancy/issuers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { deleteIssuer } from "#shared/tenancy/issuers/issuer-store.ts";

export const handler = endpoint(deleteIssuerRoute, ({ principal, params }) => deleteIssuer(principal, params.id));
