import { listTemplates } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as templates from "#shared/personas/template-store.ts";

export const handler = endpoint(listTemplates, async ({ principal, query }) => {
  const { entries, next } = await templates.listTemplates(principal, query);
  return { templates: [...entries], limit: query.limit, next_cursor: next };
});
