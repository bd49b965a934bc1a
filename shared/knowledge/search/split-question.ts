import { detectLanguage, type Language, languages } from "../../lib/language/languages.ts";
import { genericWords, startsQuestion, toContentWords } from "./content-words.ts";

/** Maximum number of parts of a question. A text with more is not split. */
const MAX_PARTS = 6;

/** Minimum number of content words of a part that does not begin with a question word. */
const MIN_PART_WORDS = 2;

/** Words that join two questions, in languages in which they mean nothing else. Polish and Russian texts count as `en`. */
const conjunctions: Readonly<Partial<Record<Language, string>>> = {
  da: "og|men|eller|samt",
  de: "und|aber|oder|sowie",
  en: "and|but|or|as well as|oraz|albo|и|а|или|та|або|و|أو",
  es: "y|e|pero|o|así como",
  fi: "ja|sekä|mutta|tai",
  fr: "et|mais|ou|ainsi que",
  hu: "és|valamint|de|vagy",
  it: "e|ed|ma|o|oppure|nonché",
  nl: "en|maar|of|alsook",
  no: "og|men|eller|samt",
  pt: "e|mas|ou|bem como",
  ro: "și|dar|sau|precum și",
  sv: "och|men|eller|samt",
  tr: "ve|veya|ama|bir de|ayrıca",
  vi: "và|hoặc|nhưng",
};

/** Words between the things that a sentence asks to compare: "compare the fee with the price". */
const comparisons = "with|mit|avec|con|met|med";

/** Returns an expression for the places where a sentence of a language may continue with another part. */
function toBoundaries(language: Language, further = ""): RegExp {
  const words = `${conjunctions[language] ?? ""}${further}`;
  const places = [
    String.raw`(?<!\s)\s{0,3}[,;，、；،؛]\s{0,3}(?:(?:${words})\s{1,3})?`,
    String.raw`(?<!\s)\s{1,3}(?:${words})\s{1,3}`,
    String.raw`(?<=\p{sc=Han})(?:以及|还有|還有|并且|而且|和|与)(?=\p{sc=Han})`,
    String.raw`(?<=[\p{sc=Han}\p{sc=Katakana}])(?:それから|および|及び|と|や)(?=[\p{sc=Han}\p{sc=Katakana}])`,
    String.raw`(?<!\s)\s{1,3}(?=و(?:هل|ما|متى|أين|كم|كيف|من)\s)`,
  ];
  return new RegExp(places.join("|"), "giu");
}

const questionBoundaries = new Map(languages.map((language) => [language, toBoundaries(language)]));
const requestBoundaries = new Map(languages.map((language) => [language, toBoundaries(language, `|${comparisons}`)]));

const isAsked = (sentence: string) => /[?？؟]\s{0,3}$/u.test(sentence) || startsQuestion.test(sentence);

/**
 * Returns true if both sides of a boundary say enough for a search of their own: two content words, or one if another
 * question word begins the right side.
 */
function canStandAlone(left: string, right: string, language: Language): boolean {
  const minWords = startsQuestion.test(right) ? 1 : MIN_PART_WORDS;
  return [left, right].every(
    (side) => toContentWords(side, language).filter(({ word }) => !genericWords.has(word)).length >= minWords,
  );
}

/** Splits a sentence where both sides can stand alone, so that "research and development" stays together. */
function splitSentence(sentence: string, language: Language): string[] {
  const parts: string[] = [];
  let start = 0;
  const boundaries = isAsked(sentence) ? questionBoundaries : requestBoundaries;
  const found = [...sentence.matchAll(boundaries.get(language) ?? /(?!)/g)];
  for (const [place, { 0: boundary, index }] of found.entries()) {
    const end = index + boundary.length;
    const right = sentence.slice(end, found[place + 1]?.index);
    if (!canStandAlone(sentence.slice(start, index), right, language)) continue;
    parts.push(sentence.slice(start, index));
    start = end;
  }
  return [...parts, sentence.slice(start)];
}

/**
 * Splits a text into the parts that can be searched alone: its questions, and their parts at commas and conjunctions.
 * Returns the whole text as the only part if it has one part, or more than `MAX_PARTS`.
 */
export function splitQuestion(text: string): string[] {
  const language = detectLanguage(text);
  const sentences = text
    .split(/(?<=[.?!;؟])(?<![\s(]\p{L}\.)(?<!(?:^|\s)(?:\p{Lu}\p{Ll}{0,3}|(?:\p{L}\.)+\p{L})\.)\s+|(?<=[。？！])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => toContentWords(sentence, language).length > 0);
  const questions = sentences.filter(isAsked);
  const statements = sentences.filter((sentence) => !isAsked(sentence));
  // Statements such as "Compare a and b." ask as well, unless questions follow that they introduce.
  const isIntroduced = questions.length > 0 && statements.length > 0;
  const parts = (isIntroduced ? questions : sentences).flatMap((sentence) => splitSentence(sentence, language));
  if (parts.length < 2 || parts.length > MAX_PARTS) return [text];
  const [first = "", ...others] = parts;
  return isIntroduced ? [`${statements.join(" ")} ${first}`, ...others] : parts;
}
