import { getDocs } from "#shared/api/platform/docs.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { htmlReply } from "#shared/http/reply.ts";
import { docsPage } from "#shared/openapi/docs-page.ts";
import { serviceDocument } from "#shared/openapi/service-document.ts";

const page = docsPage(serviceDocument);

export const handler = endpoint(getDocs, async () => htmlReply(page));
