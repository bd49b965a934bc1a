import { getOpenapi } from "#shared/api/platform/docs.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { thisDocument } from "#shared/openapi/this-document.ts";

export const handler = endpoint(getOpenapi, async () => thisDocument);
