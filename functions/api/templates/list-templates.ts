import { listTemplates } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import * as templates from "#shared/personas/template-store.ts";

export const handler = endpoint(listTemplates, async ({ principal, query }) => {
  const page = await templates.listTemplates(principal, query);
  return pageReply("templates", page, query.limit);
});
