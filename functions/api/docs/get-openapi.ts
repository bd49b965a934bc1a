import { getOpenapi } from "#shared/api/platform/docs.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { serviceDocument } from "#shared/openapi/service-document.ts";

export const handler = endpoint(getOpenapi, async () => serviceDocument);
