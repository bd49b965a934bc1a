import type { Block } from "../../api/blocks.ts";
import { locateSentences } from "../../lib/language/locate-sentences.ts";

/** Text that an answer supports by one citation `[n]`. */
export interface Claim {
  /** Number of the cited source, from 1. */
  readonly index: number;
  /** Part of the sentence between the previous citation and this one; the whole sentence if the part is short. */
  readonly text: string;
  readonly sentence: string;
  /** Text before and after the citation in its paragraph or list item; in a table, the header of the column. */
  readonly context: string;
}

/** Matches a citation `[n]`, but not a link `[n](…)`. */
const reference = /\[(\d{1,3})\](?!\()/g;

/** Minimum number of words between two citations of a sentence for a claim of its own. */
const MIN_CLAIM_WORDS = 3;

/** Maximum length in UTF-16 code units of the text on each side of a citation. */
const MAX_SENTENCE_LENGTH = 600;

/** Maximum number of citations per paragraph that are analyzed. */
const MAX_REFERENCES = 200;

const countWords = (text: string) => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

/** Masks `[n]` in inline code, where it is not a citation. */
const maskCode = (text: string) => text.replace(/`[^`\n]*`/g, (code) => code.replace(reference, "($1)"));

/** Returns the claims of a paragraph, in the order of their citations. */
function findInText(source: string): Claim[] {
  let plain = "";
  let end = 0;
  const references: { readonly index: number; readonly position: number }[] = [];
  for (const match of [...source.matchAll(reference)].slice(0, MAX_REFERENCES)) {
    plain += source.slice(end, match.index);
    end = match.index + match[0].length;
    references.push({ index: Number(match[1]), position: plain.trimEnd().length });
  }
  if (references.length === 0) return [];
  plain += source.slice(end);
  const sentences = locateSentences(plain);
  return references.map(({ index, position }) => {
    // A reference belongs to the sentence before it, also when it follows the full stop.
    const { start, end: sentenceEnd } = sentences.findLast((each) => each.start < position) ??
      sentences[0] ?? { start: 0, end: plain.length };
    const previous = references.findLast((other) => other.position < position && other.position > start);
    const part = plain.slice(Math.max(previous?.position ?? start, position - MAX_SENTENCE_LENGTH), position);
    const around = Math.max(0, position - MAX_SENTENCE_LENGTH);
    const context = plain.slice(around, position + MAX_SENTENCE_LENGTH);
    const sentence = plain.slice(Math.max(start, around), Math.min(sentenceEnd, position + MAX_SENTENCE_LENGTH));
    return { index, text: countWords(part) < MIN_CLAIM_WORDS ? sentence : part, sentence, context };
  });
}

/** Returns the claims of an answer, in the order of their citations. Code blocks have none. */
export function findClaims(blocks: readonly Block[]): Claim[] {
  return blocks.flatMap((block) => {
    switch (block.type) {
      case "text":
        return block.text.split(/\n\s*\n/).flatMap((paragraph) => findInText(maskCode(paragraph)));
      case "list":
        return block.items.flatMap((item) => findInText(maskCode(item)));
      case "table":
        return block.rows.flatMap((row) => {
          const sentence = row.join(" ").replace(reference, "").slice(0, MAX_SENTENCE_LENGTH);
          return row.flatMap((cell, column) =>
            [...cell.matchAll(reference)].map(([, index]) => ({
              index: Number(index),
              text: sentence,
              sentence,
              context: block.columns[column]?.slice(0, MAX_SENTENCE_LENGTH) ?? "",
            })),
          );
        });
      default:
        return [];
    }
  });
}
