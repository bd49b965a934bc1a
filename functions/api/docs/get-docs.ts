import { getDocs } from "#shared/api/platform/docs.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { docsPage } from "#shared/openapi/docs-page.ts";
import { thisDocument } from "#shared/openapi/this-document.ts";

const page = docsPage(thisDocument);

export const handler = endpoint(getDocs, async () => pageReply(page));
