import { deleteIssuer } from "#shared/api/tenancy/issuers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as issuers from "#shared/tenancy/issuers/issuer-store.ts";

export const handler = endpoint(deleteIssuer, ({ principal, params }) => issuers.deleteIssuer(principal, params.id));
