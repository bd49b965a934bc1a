import { searchTemplates } from "#shared/api/templates.ts";
import { searchableTemplates } from "#shared/data/template-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { rankTemplates } from "#shared/search/rank-templates.ts";

export const handler = endpoint(searchTemplates, async ({ principal, query: { q, limit } }) => ({
  query: q,
  templates: rankTemplates(await searchableTemplates(principal), q, limit),
  limit,
  next_cursor: null,
}));
