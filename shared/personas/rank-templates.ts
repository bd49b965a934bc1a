import type { Template } from "../api/personas/templates.ts";
import { detectLanguage } from "../lib/language/languages.ts";
import { extractTerms } from "../lib/language/terms.ts";

/** Template in a search result. Scores of different searches are not comparable. */
type RankedTemplate = Template & { readonly score: number };

/** Weights of the fields that are searched. */
const weights = { name: 4, description: 2, category: 2, body: 1 } as const;

/** Minimum lengths of a searched term that is compared as a prefix, and by its pairs of letters. */
const [MIN_PREFIX_LENGTH, MIN_SIMILAR_LENGTH] = [3, 5];

/** Minimum share of the pairs of letters that similar terms have in common. */
const MIN_SHARED_PAIRS = 0.6;

const toPairs = (term: string) => Array.from({ length: term.length - 1 }, (_, index) => term.slice(index, index + 2));

/** Returns the weight of a match of a template's term with a searched one: 1 for the same term, 0 for another one. */
function matchTerm(term: string, searched: string): number {
  if (term === searched) return 1;
  if (searched.length >= MIN_PREFIX_LENGTH && term.startsWith(searched)) return 0.5;
  if (searched.length < MIN_SIMILAR_LENGTH) return 0;
  const [pairs, others] = [toPairs(term), toPairs(searched)];
  const shared = (2 * pairs.filter((pair) => others.includes(pair)).length) / (pairs.length + others.length);
  return shared >= MIN_SHARED_PAIRS ? shared / 2 : 0;
}

const toTerms = (text: string): string[] => [
  ...new Set([...extractTerms(text), ...extractTerms(text, detectLanguage(text))]),
];

/** Searches templates by words, prefixes of words and similar spellings; best match first. */
export function rankTemplates(templates: readonly Template[], query: string, limit: number): RankedTemplate[] {
  const searched = toTerms(query);
  const scoreField = (text: string) => {
    const terms = toTerms(text);
    return searched.reduce((sum, word) => sum + Math.max(0, ...terms.map((term) => matchTerm(term, word))), 0);
  };
  return templates
    .map((template) => {
      const fields = Object.entries(weights) as [keyof typeof weights, number][];
      const score = fields.reduce((sum, [field, weight]) => sum + weight * scoreField(template[field]), 0);
      return { ...template, score: Math.round(score * 1_000) / 1_000 };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}
