import { lazily } from "../../lib/lazily.ts";

/**
 * Maximum number of sentences of a passage with a vector of their own. Limits the size of the item and the number of texts
 * to embed.
 */
const MAX_SENTENCES = 16;

/**
 * Maximum number of dimensions in the code of a sentence. With 16 sentences, the item of a passage stays below 4,096 bytes,
 * one read unit.
 */
export const MAX_SENTENCE_DIMENSIONS = 384;

/** Length in UTF-16 code units below which a sentence, such as a list number, belongs to the next one. */
const MIN_SENTENCE_LENGTH = 16;

/** The rules for the end of a sentence apply to all languages; the locale only adds abbreviations. */
const getSegmenter = lazily(() => new Intl.Segmenter("en", { granularity: "sentence" }));

/**
 * Returns the sentences of a passage. If there are more than 16, neighboring ones are joined. Empty if there is only one,
 * because its vector equals the vector of the passage.
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
