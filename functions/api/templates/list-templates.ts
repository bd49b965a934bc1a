import { listTemplates } from "#shared/api/templates.ts";
import * as templates from "#shared/data/template-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listTemplates, async ({ principal, query }) => {
  const { entries, next } = await templates.listTemplates(principal, query);
  return { templates: [...entries], limit: query.limit, next_cursor: next };
});
