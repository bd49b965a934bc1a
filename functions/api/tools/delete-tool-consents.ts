import { deleteToolConsents } from "#shared/api/tools/consents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as consents from "#shared/tools/consent-store.ts";

export const handler = endpoint(deleteToolConsents, ({ principal }) => consents.deleteToolConsents(principal));
