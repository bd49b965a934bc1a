import * as v from "valibot";
import { findSetting } from "../../lib/env.ts";
import { log } from "../../lib/log.ts";
import { postToProvider } from "../../lib/outgoing/post-to-provider.ts";
import { loadSecret } from "../../lib/secrets.ts";

/** Number of passages that the provider reranks. Time and price of a request grow with it. */
export const RERANKED_PASSAGES = 20;

/** Timeout of a request to the reranking provider. */
const TIMEOUT_MS = 3_000;

/** Maximum length of a passage with title and headings, in UTF-16 code units. */
const MAX_TEXT_LENGTH = 4_000;

const Response = v.object({
  results: v.array(v.object({ index: v.pipe(v.number(), v.integer(), v.minValue(0)), relevance_score: v.number() })),
});

/** Returns true if a reranking provider is configured. */
export const canRerank = (): boolean =>
  findSetting("RERANK_PROVIDER") === "cohere-compatible" && findSetting("RERANK_BASE_URL") !== "";

/**
 * Returns the provider's score of each text for a question, in the same order; null if the provider fails.
 * @see https://docs.cohere.com/reference/rerank
 */
async function scoreTexts(question: string, texts: readonly string[]): Promise<number[] | null> {
  const documents = texts.map((text) => text.slice(0, MAX_TEXT_LENGTH));
  const body = { model: findSetting("RERANK_ID"), query: question, documents, top_n: documents.length };
  try {
    const apiKey = await loadSecret(findSetting("RERANK_API_KEY"));
    const provider = { baseUrl: findSetting("RERANK_BASE_URL"), apiKey };
    const { status, text } = await postToProvider(provider, "/rerank", body, TIMEOUT_MS);
    if (status !== 200) throw new Error(`The reranking provider answered with status ${status}`);
    const { results } = v.parse(Response, JSON.parse(text));
    const scores = new Map(results.map(({ index, relevance_score }) => [index, relevance_score]));
    if (documents.some((_, index) => !scores.has(index))) throw new Error("The reranking provider left out passages");
    return documents.map((_, index) => scores.get(index) ?? 0);
  } catch (error) {
    log.error("reranking failed", { error });
    return null;
  }
}

interface RerankablePassage {
  readonly document: { readonly title: string };
  readonly passage: { readonly headings: string; readonly text: string };
  readonly rerankScore?: number;
}

/**
 * Sorts the best `RERANKED_PASSAGES` passages by the scores of the reranking provider. The others follow without a
 * score.
 * @param passages passages, best first
 * @returns null if the provider fails; the caller then uses the original order
 */
export async function rerankPassages<Passage extends RerankablePassage>(
  question: string,
  passages: readonly Passage[],
): Promise<Passage[] | null> {
  if (passages.length === 0) return [];
  const best = passages.slice(0, RERANKED_PASSAGES);
  const texts = best.map(({ document: { title }, passage: { headings, text } }) =>
    [title, headings, text].filter(Boolean).join("\n"),
  );
  const scores = await scoreTexts(question, texts);
  if (!scores) return null;
  const reranked = best.map((passage, index) => ({ ...passage, rerankScore: scores[index] ?? 0 }));
  return [...reranked.sort((a, b) => b.rerankScore - a.rerankScore), ...passages.slice(RERANKED_PASSAGES)];
}
