import { idf, saturation } from "../../knowledge/index/bm25.ts";
import type { PassageSegment } from "../../knowledge/index/passage-segments.ts";
import { toContentWords } from "../../knowledge/search/content-words.ts";
import type { KnowledgeHit } from "../../knowledge/search/knowledge-hit.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { fold } from "../../lib/language/terms.ts";
import { truncate } from "../../lib/truncate.ts";

/** File that is too long for the prompt, which contains only its beginning. */
export interface LongFile {
  readonly id: string;
  readonly file_name: string;
  readonly text: string;
  /** Positions in the text at which the pages start, from page 1; empty for files without pages. */
  readonly pageStarts: readonly number[];
  /** Number of characters at the start of the file that the prompt contains. */
  readonly shownCharacters: number;
}

/**
 * Maximum length of a passage in characters, and the part at its end that is searched for the end of a paragraph or
 * sentence.
 */
const [PASSAGE_CHARACTERS, END_DISTANCE] = [1_500, 400];

const MAX_SNIPPET_CHARACTERS = 300;

/** Minimum score of a passage, relative to the best passage. */
const MIN_SHARE = 0.4;

interface FilePassage {
  readonly file: LongFile;
  readonly position: number;
  /** Start of the passage in the text of the file. */
  readonly start: number;
  readonly heading: string | null;
  readonly text: string;
}

/**
 * Returns the position at which the passage ends: after a paragraph, sentence or word if one ends near the maximum
 * length.
 */
function findEnd(text: string, start: number): number {
  const limit = start + PASSAGE_CHARACTERS;
  if (limit >= text.length) return text.length;
  const last = text.slice(limit - END_DISTANCE, limit);
  for (const mark of ["\n\n", "\n", ". ", "。", " "]) {
    const found = last.lastIndexOf(mark);
    if (found >= 0) return limit - END_DISTANCE + found + mark.length;
  }
  return limit;
}

/** Splits the rest of a file, which the prompt does not contain, into passages with the Markdown heading above them. */
function* toPassages(file: LongFile): Generator<FilePassage, void> {
  const { text } = file;
  let heading: string | null = null;
  for (let start = file.shownCharacters, position = 0; start < text.length; position++) {
    const end = findEnd(text, start);
    const passage = text.slice(start, end).toWellFormed();
    const headings = passage.match(/^#{1,6} .+$/gmu);
    const trimmed = passage.trimStart();
    const first = /^#{1,6} (.+)/u.exec(trimmed)?.[1] ?? heading;
    yield { file, position, start: end - trimmed.length, heading: first, text: trimmed.trimEnd() };
    heading = headings?.at(-1)?.replace(/^#+ /, "") ?? heading;
    start = end;
  }
}

/**
 * Returns the stemmed words of a question without the language prefix of search terms, to find them in text that `fold`
 * normalized.
 */
function toStems(question: string): string[] {
  const words = toContentWords(question, detectLanguage(question));
  return [...new Set(words.flatMap(({ terms }) => terms.map((term) => term.replace(/^[a-z]{2}:/, ""))))];
}

/** Counts the occurrences of a stem, also inside words: the stem "fee" matches "fees" and "coffee". */
function countOccurrences(text: string, stem: string): number {
  let count = 0;
  for (let found = text.indexOf(stem); found >= 0; found = text.indexOf(stem, found + stem.length)) count++;
  return count;
}

/** Returns the parts of a passage by page. */
function toSegments({ file, start, heading, text }: FilePassage): [PassageSegment, ...PassageSegment[]] {
  const { pageStarts } = file;
  const firstPage = pageStarts.findLastIndex((pageStart) => pageStart <= start) + 1;
  const following = pageStarts.slice(firstPage).map((pageStart, index) => ({
    start: pageStart - start,
    page: firstPage + index + 1,
    heading,
  }));
  return [
    { start: 0, page: firstPage || null, heading },
    ...following.filter((segment) => segment.start < text.length),
  ];
}

/** @param score sum of the weights (`idf`) of the question's words that the passage contains, from 0 to 1 */
function toFileHit(passage: FilePassage, score: number): KnowledgeHit {
  const { file, position, heading, text } = passage;
  const segments = toSegments(passage);
  const [{ page }] = segments;
  return {
    source_type: "file",
    ...{ chunk_id: `file:${file.id}.${position}`, document_id: "", collection_id: "", passage: position },
    ...{
      page,
      segments,
      heading,
      title: file.file_name,
      uri: null,
      text,
      snippet: truncate(text, MAX_SNIPPET_CHARACTERS),
    },
    ...{ metadata: {}, language: detectLanguage(text), highlights: [], matched_terms: [], relevance: score, score },
    scores: { words: score, meaning: null, fused: score, rerank: null },
  };
}

/**
 * Returns the passages of long files that contain words of a question, best first. Searches for substrings, because
 * splitting a million characters into terms takes seconds in a function with 256 MB.
 */
export function findFilePassages(files: readonly LongFile[], question: string, limit: number): KnowledgeHit[] {
  const stems = toStems(question);
  const passages = files.flatMap((file) => [...toPassages(file)]);
  if (stems.length === 0 || passages.length === 0) return [];
  const counts = passages.map(({ text }) => {
    const folded = fold(text.toLowerCase());
    return stems.map((stem) => countOccurrences(folded, stem));
  });
  const statistics = { passages: passages.length, length: passages.length };
  const weights = stems.map((_, stem) => idf(statistics, counts.filter((count) => count[stem]).length));
  const scored = passages.map((passage, index) => {
    const parts = counts[index]?.map((inText, stem) =>
      inText === 0 ? 0 : (weights[stem] ?? 0) * saturation({ inText, inTitle: 0, length: 1 }, 1),
    );
    return { passage, score: parts?.reduce((sum, part) => sum + part, 0) ?? 0 };
  });
  const best = scored.toSorted((one, other) => other.score - one.score).slice(0, limit);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const minimum = (best[0]?.score ?? 0) * MIN_SHARE;
  return best
    .filter(({ score }) => score > 0 && score >= minimum)
    .map(({ passage, score }) => toFileHit(passage, score / total));
}
