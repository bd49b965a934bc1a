import { searchTemplatesRoute } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { rankTemplates } from "#shared/personas/rank-templates.ts";
import { listSearchableTemplates } from "#shared/personas/template-store.ts";

export const handler = endpoint(searchTemplatesRoute, async ({ principal, query: { q, limit } }) => ({
  query: q,
  templates: rankTemplates(await listSearchableTemplates(principal), q, limit),
  limit,
  next_cursor: null,
}));
