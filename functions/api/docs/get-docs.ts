import { getDocs } from "#shared/api/platform/docs.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { htmlReply } from "#shared/http/reply.ts";
import { docsHtml } from "#shared/openapi/rendered-document.ts";

export const handler = endpoint(getDocs, async () => htmlReply(docsHtml));
