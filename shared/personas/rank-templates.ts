import MiniSearch from "minisearch";
import type { Template } from "../api/personas/templates.ts";

/** Template in a search result. Scores of different searches are not comparable. */
export type RankedTemplate = Template & { readonly score: number };

/** Searches templates by words, prefixes of words and similar spellings; best match first. */
export function rankTemplates(templates: readonly Template[], query: string, limit: number): RankedTemplate[] {
  const index = new MiniSearch<Template>({
    fields: ["name", "description", "category", "body"],
    searchOptions: {
      boost: { name: 4, description: 2, category: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  index.addAll(templates);
  const byId = new Map(templates.map((template) => [template.id, template]));
  return index
    .search(query)
    .slice(0, limit)
    .flatMap(({ id, score }) => {
      const template = byId.get(id);
      return template ? [{ ...template, score: Math.round(score * 1_000) / 1_000 }] : [];
    });
}
