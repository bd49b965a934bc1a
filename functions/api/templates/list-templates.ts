import { listTemplatesRoute } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listTemplates } from "#shared/personas/template-store.ts";

export const handler = endpoint(listTemplatesRoute, async ({ principal, query }) => {
  const page = await listTemplates(principal, query);
  return pageReply("templates", page, query.limit);
});
