import MiniSearch from "minisearch";
import type { Template } from "../api/personas/templates.ts";

/** A template that was found, and how well it fits: more is better, and only comparable within one search. */
export type RankedTemplate = Template & { readonly score: number };

/** Templates that fit a query, best first: by their words, beginnings of words and words a letter or so away. */
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
