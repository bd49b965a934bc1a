import { findSegment, type PassageSegment } from "../../knowledge/index/passage-segments.ts";
import { extractSnippet } from "../../knowledge/search/extract-snippet.ts";
import type { KnowledgeHit } from "../../knowledge/search/knowledge-hit.ts";
import { locateSentences } from "../../lib/language/locate-sentences.ts";
import { extractTerms } from "../../lib/language/terms.ts";
import type { Claim } from "./find-claims.ts";

/** Verbatim part of a source that supports a claim, with its place in the document. */
interface Quote {
  readonly quote: string;
  readonly page: number | null;
  readonly heading: string | null;
}

/**
 * Maximum length of a quote in UTF-16 code units. Of a longer sentence, such as a list without full stops, an excerpt
 * is quoted.
 */
const MAX_QUOTE_LENGTH = 600;

/**
 * Weights of words by their distance from the citation: in the claim, in the rest of its sentence, or in the rest of
 * its paragraph.
 */
const CLAIM_WEIGHTS = { text: 1, sentence: 0.4, context: 0.1 } as const;
/** Weights of words that a sentence of the source lacks but that its headings, or the sentence before it, contain. */
const HEADING_WEIGHT = 0.5;
const PREVIOUS_WEIGHT = 0.25;
/**
 * Weights of numbers, of pairs of adjacent words, and of the first letters of long words, which related languages
 * share. A word has the weight 1.
 */
const NUMBER_WEIGHT = 2;
const PAIR_WEIGHT = 0.5;
const PREFIX_WEIGHT = 0.3;
/** Share of the score that depends on the length of the sentence, as `b` in BM25. */
const LENGTH_INFLUENCE = 0.3;

const MIN_PREFIXED_LENGTH = 7;
const PREFIX_LENGTH = 5;

/** Matches a number with its separators, which differ between languages. */
const numbers = /\p{Nd}(?:[\p{Nd}.,'’\u00a0\u202f]*\p{Nd})?/gu;

/**
 * Returns the weighted features by which texts are compared: word stems, pairs of stems, first letters of long words,
 * and numbers without separators.
 */
function findFeatures(text: string, language: KnowledgeHit["language"]): Map<string, number> {
  const features = new Map<string, number>();
  const terms = extractTerms(text, language);
  for (const [index, term] of terms.entries()) {
    features.set(term, 1);
    if (index > 0) features.set(`${terms[index - 1]} ${term}`, PAIR_WEIGHT);
    const [word = ""] = term.split(":").slice(-1);
    if (word.length >= MIN_PREFIXED_LENGTH) features.set(`^${word.slice(0, PREFIX_LENGTH)}`, PREFIX_WEIGHT);
  }
  for (const [number] of text.normalize("NFKC").matchAll(numbers)) {
    features.set(`#${number.replace(/\P{Nd}/gu, "")}`, NUMBER_WEIGHT);
  }
  return features;
}

/** Sentence of a source that can become a quote. */
interface Candidate {
  readonly start: number;
  readonly end: number;
  readonly segment: PassageSegment | undefined;
  readonly features: ReadonlyMap<string, number>;
  readonly headingFeatures: ReadonlyMap<string, number>;
  readonly previousFeatures: ReadonlyMap<string, number>;
}

/** Matches the end of a sentence that the next one answers or completes, such as a question or the beginning of a list. */
const leadIn = /[:?：？؟][\s"'”»)*_]*$/;

const noFeatures: ReadonlyMap<string, number> = new Map();

/** Returns true if a sentence is itself a heading. */
function isHeading(sentence: string, segment: PassageSegment | undefined): boolean {
  const title = sentence.replace(/^#+\s*|[*`]/g, "").trim();
  return /^#{1,6}\s/.test(sentence) || (title !== "" && (segment?.heading?.endsWith(title) ?? false));
}

/** Chooses the sentences of a source that support claims. */
export class QuoteChooser {
  readonly #source: KnowledgeHit;
  readonly #candidates: readonly Candidate[];
  readonly #frequencies = new Map<string, number>();
  readonly #averageSize: number;

  constructor(source: KnowledgeHit) {
    this.#source = source;
    const { text, language } = source;
    const segments = this.#getSegments();
    const headings = new Map<string | null, ReadonlyMap<string, number>>();
    let previousFeatures = noFeatures;
    const all = locateSentences(text).map(({ start, end }) => {
      const segment = findSegment(segments, start);
      const heading = segment?.heading ?? null;
      const headingFeatures = headings.get(heading) ?? findFeatures(heading ?? "", language);
      headings.set(heading, headingFeatures);
      const features = findFeatures(text.slice(start, end), language);
      const candidate = { start, end, segment, features, headingFeatures, previousFeatures };
      previousFeatures = features;
      return candidate;
    });
    const sentences = all.filter(({ start, end, segment }) => !isHeading(text.slice(start, end), segment));
    this.#candidates = sentences.length > 0 ? sentences : all;
    for (const { features, headingFeatures } of this.#candidates) {
      for (const feature of new Set([...features.keys(), ...headingFeatures.keys()])) {
        this.#frequencies.set(feature, (this.#frequencies.get(feature) ?? 0) + 1);
      }
    }
    const total = this.#candidates.reduce((sum, { features }) => sum + features.size, 0);
    this.#averageSize = Math.max(1, total / Math.max(1, this.#candidates.length));
  }

  /**
   * Returns the sentence that shares the rarest words and numbers with a claim. Without such a sentence, returns the
   * snippet of the search. The quote of a redacted passage is empty.
   */
  choose(claim?: Claim): Quote {
    const { text, snippet, language } = this.#source;
    // A redacted passage is not quoted.
    if (snippet === "") return this.#toQuote("", 0);
    const weights = claim ? this.#weigh(claim) : noFeatures;
    let best = { score: 0, candidate: undefined as Candidate | undefined };
    for (const candidate of this.#candidates) {
      const score = this.#score(candidate, weights);
      if (score > best.score) best = { score, candidate };
    }
    if (!best.candidate) return this.#toQuote(snippet, Math.max(0, text.indexOf(snippet)));
    const { start } = best.candidate;
    const sentence = text.slice(start, this.#findEnd(best.candidate));
    if (sentence.length <= MAX_QUOTE_LENGTH) return this.#toQuote(sentence, start);
    const part = extractSnippet(sentence, weights, language);
    return this.#toQuote(part, start + Math.max(0, sentence.indexOf(part)));
  }

  /** Returns the end of a sentence, or of the next one if that says what the sentence announces. */
  #findEnd(candidate: Candidate): number {
    const { start, end } = candidate;
    if (!leadIn.test(this.#source.text.slice(start, end))) return end;
    const next = this.#candidates[this.#candidates.indexOf(candidate) + 1];
    return next && next.end - start <= MAX_QUOTE_LENGTH ? next.end : end;
  }

  #getSegments(): readonly PassageSegment[] {
    const { segments, page, heading } = this.#source;
    return segments ?? [{ start: 0, page, heading }];
  }

  #toQuote(quote: string, position: number): Quote {
    const { page, heading } = findSegment(this.#getSegments(), position) ?? this.#source;
    return { quote, page, heading };
  }

  /** Returns the features of a claim with weights that are higher for features that are rare in the source. */
  #weigh(claim: Claim): ReadonlyMap<string, number> {
    const weights = new Map<string, number>();
    for (const part of ["text", "sentence", "context"] as const) {
      for (const [feature, weight] of findFeatures(claim[part], this.#source.language)) {
        if (weights.has(feature)) continue;
        const frequency = this.#frequencies.get(feature) ?? 0;
        const rarity = Math.log(1 + this.#candidates.length / Math.max(1, frequency));
        weights.set(feature, weight * rarity * CLAIM_WEIGHTS[part]);
      }
    }
    return weights;
  }

  #score({ features, headingFeatures, previousFeatures }: Candidate, weights: ReadonlyMap<string, number>): number {
    let score = 0;
    let around = 0;
    for (const [feature, weight] of weights) {
      if (features.has(feature)) score += weight;
      else if (headingFeatures.has(feature)) around += HEADING_WEIGHT * weight;
      else if (previousFeatures.has(feature)) around += PREVIOUS_WEIGHT * weight;
    }
    if (score === 0) return 0;
    const relativeSize = features.size / this.#averageSize;
    return score / (1 - LENGTH_INFLUENCE + LENGTH_INFLUENCE * Math.max(0.5, Math.min(3, relativeSize))) + around;
  }
}
