import type { Block, CitationQuote } from "../api/blocks.ts";
import type { KnowledgeHit } from "../knowledge/search/knowledge-hit.ts";
import { QuoteChooser } from "./quotes/choose-quote.ts";
import { type Claim, findClaims } from "./quotes/find-claims.ts";

/** Returns the numbers that an answer cites as `[n]`. The first source has the number 1. */
function findCitedNumbers(text: string): ReadonlySet<number> {
  return new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map(([, number]) => Number(number)));
}

/**
 * Escapes `[n]` in the text of a source for the model, because an answer that repeats it would seem to cite the source with
 * this number. Markdown shows it as `[n]`. Quotes are taken from the text itself.
 */
export const maskReferences = (text: string): string => text.replace(/\[(\d{1,3})\]/g, "\\[$1\\]");

/** Returns what the model reads about a source besides its text: number, title, date of the version, and whether it is outdated. */
export const toSourceAttributes = (
  number: number,
  { title, updated_at, is_outdated }: Pick<KnowledgeHit, "title" | "updated_at" | "is_outdated">,
) => ({
  ...{ number, title },
  ...(updated_at !== undefined && { date: updated_at.slice(0, 10) }),
  ...(is_outdated && { outdated: "yes" }),
});

export function citedSources(text: string, sources: readonly KnowledgeHit[]): KnowledgeHit[] {
  const cited = findCitedNumbers(text);
  return sources.filter((_, position) => cited.has(position + 1));
}

/** Maximum number of citations of one source in an answer for which a quote is chosen. */
const MAX_REFERENCES = 20;

/**
 * Chooses a quote of the source for each claim that cites it, and groups claims with equal quotes. `references` are
 * positions of claims.
 */
function chooseQuotes(source: KnowledgeHit, claims: readonly Claim[]): CitationQuote[] {
  const chooser = new QuoteChooser(source);
  const chosen = claims.slice(0, MAX_REFERENCES).map((claim, position) => ({ position, ...chooser.choose(claim) }));
  return [...Map.groupBy(chosen, ({ quote, page, heading }) => JSON.stringify([quote, page, heading])).values()].map(
    (group) => {
      const [{ quote, page, heading }] = group as [(typeof group)[number]];
      return { quote, page, heading, references: group.map(({ position }) => position) };
    },
  );
}

/**
 * Returns a citation block for each source that an answer cites. `quote` is the passage of the source that supports the
 * first citation; if other citations have other quotes, `quotes` lists all of them. Page and heading are those of the segment
 * that contains the quote (`shared/chat/quotes/choose-quote.ts`).
 * @param blocks the parsed blocks of `text`
 */
export function toCitationBlocks(text: string, blocks: readonly Block[], sources: readonly KnowledgeHit[]): Block[] {
  const cited = findCitedNumbers(text);
  const claims = Map.groupBy(sources.length > 0 ? findClaims(blocks) : [], ({ index }) => index);
  return sources.flatMap((source, position) => {
    const { chunk_id, document_id, passage, title, collection_id, uri, score } = source;
    const { source_type = "document", updated_at, is_outdated } = source;
    const isDocument = source_type === "document";
    const index = position + 1;
    if (!cited.has(index)) return [];
    const quotes = chooseQuotes(source, claims.get(index) ?? []);
    // A reference in code makes no claim.
    const { quote, page, heading } = quotes[0] ?? new QuoteChooser(source).choose();
    return [
      {
        type: "citation",
        index,
        source_id: chunk_id,
        source_type,
        ...(isDocument && { document_id, passage, updated_at, is_outdated }),
        page,
        heading,
        title,
        collection_id: isDocument ? collection_id : null,
        uri,
        quote,
        ...(quotes.length > 1 && { quotes }),
        score,
      },
    ];
  });
}
