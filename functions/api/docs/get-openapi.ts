import { getOpenapiRoute } from "#shared/api/platform/docs.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { textReply } from "#shared/http/reply.ts";
import { openapiJson } from "#shared/openapi/rendered-document.ts";

export const handler = endpoint(getOpenapiRoute, async () => textReply(200, "application/json", openapiJson));
