/**
 * BM25 parameters: term frequency saturation (`k1`) and length normalization (`b`). Normalization is weak, because passages
 * have similar lengths.
 */
const k1 = 0.9;
const b = 0.4;

/** Weight of an occurrence in a title or heading, relative to an occurrence in the text. */
const TITLE_WEIGHT = 2;

/** Frequencies of one term in a passage, and the length of the passage in terms, including title and headings. */
export interface Occurrence {
  readonly inText: number;
  readonly inTitle: number;
  readonly length: number;
}

export interface Statistics {
  readonly passages: number;
  /** Number of terms in all passages. */
  readonly length: number;
}

/**
 * Returns the passage factor of BM25, between 0 and 1. It grows with the term frequency and falls with the length of
 * the passage.
 */
export function saturation({ inText, inTitle, length }: Occurrence, averageLength: number): number {
  const frequency = inText + TITLE_WEIGHT * inTitle;
  return frequency / (frequency + k1 * (1 - b + (b * length) / averageLength));
}

/** Returns the inverse document frequency of a term. As in Lucene, it is never negative. */
export function idf(statistics: Statistics, passagesWithTerm: number): number {
  return Math.log(1 + (statistics.passages - passagesWithTerm + 0.5) / (passagesWithTerm + 0.5));
}

/**
 * Returns the score of one term in a passage: Okapi BM25 with two fields that share one length (BM25F).
 * @see Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), 3.3 and 3.6
 */
export function termScore(termIdf: number, occurrence: Occurrence, averageLength: number): number {
  return termIdf * (k1 + 1) * saturation(occurrence, averageLength);
}

/** Returns the upper bound of the score of one term. A single occurrence reaches about half of it. */
export const maxTermScore = (termIdf: number): number => termIdf * (k1 + 1);

/** Returns the average number of terms per passage; 1 for an empty index, to avoid a division by zero. */
export function getAverageLength({ passages, length }: Statistics): number {
  return passages > 0 && length > 0 ? length / passages : 1;
}

/**
 * Minimum number of passages with which the significance of words is computed. In a smaller index, every word would
 * occur in a large share of the passages.
 */
const MIN_PASSAGES = 100;

/**
 * Returns the weight of a word for the relevance of passages: its inverse document frequency in an index of at least
 * `MIN_PASSAGES` passages.
 */
export function significance({ passages, length }: Statistics, passagesWithTerm: number): number {
  return idf({ passages: Math.max(passages, MIN_PASSAGES), length }, passagesWithTerm);
}
