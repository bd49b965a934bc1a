/**
 * How fast further occurrences of a term stop counting, and how much long passages are held back: little, for passages
 * are cut to much the same length already.
 */
const k1 = 0.9;
const b = 0.4;

/** An occurrence in a title or heading counts for this many in the text. */
const titleWeight = 2;

/** How often a term occurs in a passage, and how long the passage is (in terms, title included). */
export interface Occurrence {
  readonly inText: number;
  readonly inTitle: number;
  readonly length: number;
}

/** What is known of all passages together. */
export interface Statistics {
  /** How many there are. */
  readonly passages: number;
  /** Terms in all of them. */
  readonly length: number;
}

/** The part of BM25 that belongs to the passage: 0 to 1, rising with occurrences, falling with length. */
export function saturation({ inText, inTitle, length }: Occurrence, averageLength: number): number {
  const frequency = inText + titleWeight * inTitle;
  return frequency / (frequency + k1 * (1 - b + (b * length) / averageLength));
}

/** The part of BM25 that belongs to the term: the rarer, the more it says. Never negative, as in Lucene. */
export function rarity(statistics: Statistics, passagesWithTerm: number): number {
  return Math.log(1 + (statistics.passages - passagesWithTerm + 0.5) / (passagesWithTerm + 0.5));
}

/**
 * What one term adds to a passage's score: Okapi BM25 over two fields that share one length (BM25F).
 * @see Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), 3.3 and 3.6
 */
export function termScore(rarityOfTerm: number, occurrence: Occurrence, averageLength: number): number {
  return rarityOfTerm * (k1 + 1) * saturation(occurrence, averageLength);
}

/** Terms per passage on average; 1 where there are none, so that it can be divided by. */
export function averageLengthOf({ passages, length }: Statistics): number {
  return passages > 0 && length > 0 ? length / passages : 1;
}
