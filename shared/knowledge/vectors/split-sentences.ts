import { lazily } from "../../lib/lazily.ts";

/**
 * Maximum number of sentences of a passage with vectors of their own, which limits the size of the stored passage and the
 * number of texts to embed.
 */
const MAX_SENTENCES = 16;

/**
 * Maximum number of dimensions in the code of a sentence. With 16 sentences, the item of a passage stays below 4,096 bytes,
 * one read unit.
 */
export const MAX_SENTENCE_DIMENSIONS = 384;

/** Minimum length of a sentence in UTF-16 code units. A shorter one, such as a list number, is joined to the next sentence. */
const MIN_SENTENCE_LENGTH = 16;

/** Segmenter for texts in all languages: `en` has the default rules of Unicode for the end of a sentence. */
const getSegmenter = lazily(() => new Intl.Segmenter("en", { granularity: "sentence" }));

/**
 * Returns the sentences of a passage. Joins neighboring ones if there are more than 16. Returns none for a single sentence,
 * because its vector equals that of the passage.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let sentence = "";
  for (const { segment } of getSegmenter().segment(text)) {
    sentence += segment;
    if (sentence.trim().length < MIN_SENTENCE_LENGTH) continue;
    sentences.push(sentence.trim());
    sentence = "";
  }
  if (sentence.trim() !== "") sentences.push(sentence.trim());
  if (sentences.length < 2) return [];
  const size = Math.ceil(sentences.length / MAX_SENTENCES);
  return Array.from({ length: Math.ceil(sentences.length / size) }, (_, index) =>
    sentences.slice(index * size, (index + 1) * size).join(" "),
  );
}
