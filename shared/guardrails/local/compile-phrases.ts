import { normalize } from "./normalize.ts";

/**
 * Phrases of one language, one sequence of word classes per line. Between classes, `+` stands for no other word and `~`
 * for up to five of the same sentence. `|` separates the words of a class, `$name` inserts a class, `*` matches any
 * ending, `^` marks the class with the rarest words, words after `!` must not follow, and the word before must not end with an ending before `<`.
 */
export interface LanguagePhrases {
  readonly language: string;
  /** Matches nearly every text in the language; for languages whose words are short and also those of others. */
  readonly typical?: RegExp;
  /** Letters of the script, as in a character class; Latin by default, null if the script does not separate words. */
  readonly letters?: string | null;
  /** Particles that are written together with the next word. */
  readonly prefix?: string;
  readonly classes: Readonly<Record<string, string>>;
  /** Statements of a person at risk. */
  readonly certain: string;
  /** Words that such statements and innocent texts share. */
  readonly unsure: string;
  /** Words next to which a statement is not certain: of fiction, translation, care, cooking and programs. */
  readonly fiction: string;
}

/** Latin letters that have no decomposition in Unicode. */
const undecomposed = new Map(Object.entries({ ł: "l", ı: "i", đ: "d", ø: "o", æ: "ae", œ: "oe" }));

const undecomposedLetter = /[łıđøæœ]/g;

/** Replaces Latin letters that normalization keeps, so that phrases are also found as they are typed without accents. */
export const foldLetters = (normalized: string): string =>
  normalized.replace(undecomposedLetter, (letter) => undecomposed.get(letter) ?? letter);

const MAX_GAP_WORDS = 5;
const MAX_GAP_CHARACTERS = 12;

/** Parts of the expressions for a script. */
interface Script {
  /** Boundary before a phrase. */
  readonly start: string;
  readonly gap: string;
  readonly adjacent: string;
  word(term: string): string;
  notBefore(words: string): string;
  notAfter(endings: string): string;
}

function separatedScript(letters: string, prefix: string): Script {
  const letter = `[${letters}0-9]`;
  const separator = `[^${letters}0-9.!?\\n]+`;
  const boundary = `(?!${letter})`;
  const word = (term: string) =>
    `${term
      .split(" ")
      .map((part) => part.replaceAll("*", `${letter}*`))
      .join(separator)}${boundary}`;
  return {
    start: `(?<!${letter})${prefix}`,
    gap: `${separator}(?:${letter}+${separator}){0,${MAX_GAP_WORDS}}?${prefix}`,
    adjacent: separator + prefix,
    word,
    notBefore: (words) => `(?!${separator}${prefix}(?:${words}))`,
    notAfter: (endings) => `(?<!(?:${endings})[^${letters}0-9.!?\\n]{1,3})`,
  };
}

const unseparatedScript: Script = {
  start: "",
  gap: `[^。！？!?\\n]{0,${MAX_GAP_CHARACTERS}}?`,
  adjacent: "",
  word: (term) => term,
  notBefore: (words) => `(?![^。！？!?\\n]{0,2}(?:${words}))`,
  notAfter: (endings) => `(?<!(?:${endings}))`,
};

/** Words of terms that are too common to look for. */
const commonWords = new Set(
  `would could should about there going trying being never again when what which with without want don can cannot have
   been this that from will just everyone anymore everything even more mehr nicht noch wieder dans pour plus mais avec
   jamais sans como para nada todo quando dass wenn nunca mai nao sin con per`.split(/\s+/),
);

/** Returns a rare word of a term, without which the term cannot match. */
function keyOf(term: string): string {
  const words = term.split(" ");
  const rare = words.filter((word) => !commonWords.has(word));
  return (rare.length > 0 ? rare : words).reduce((longest, word) => (word.length > longest.length ? word : longest));
}

/** Returns the terms of a class. */
function termsOf({ classes, language }: LanguagePhrases, words: string): string[] {
  return words
    .replace("^", "")
    .split("|")
    .flatMap((part) => {
      const term = part.trim();
      if (!term.startsWith("$")) return term;
      const inserted = classes[term.slice(1)];
      if (inserted === undefined) throw new Error(`unknown class ${term} of ${language}`);
      return termsOf({ classes, language } as LanguagePhrases, inserted);
    });
}

/** Parts of a line: classes and the operators between them, and what must not stand next to them. */
function readLine(line: string) {
  const [phrase = "", following] = line.trim().split(" ! ");
  const [sequence = "", preceding] = phrase.split(" < ").reverse();
  return { preceding, parts: sequence.split(/ ([~+]) /), following };
}

const linesOf = (lines: string) => lines.split("\n").filter((line) => line.trim() !== "");

const scriptOf = ({ letters = "a-z", prefix = "" }: LanguagePhrases) =>
  letters === null ? unseparatedScript : separatedScript(letters, prefix);

const toSource = (script: Script, phrases: LanguagePhrases, words: string) =>
  `(?:${termsOf(phrases, words).map(script.word).join("|")})`;

/** Returns an expression for one of the words of a class. */
function compileWords(phrases: LanguagePhrases, words: string): RegExp {
  const script = scriptOf(phrases);
  return new RegExp(script.start + toSource(script, phrases, words));
}

function compileLine(phrases: LanguagePhrases, line: string): RegExp {
  const script = scriptOf(phrases);
  const { preceding, parts, following } = readLine(line);
  const operators: Readonly<Record<string, string>> = { "~": script.gap, "+": script.adjacent };
  return new RegExp(
    [
      script.start,
      preceding ? script.notAfter(preceding) : "",
      ...parts.map((part) => operators[part] ?? toSource(script, phrases, part)),
      following ? script.notBefore(toSource(script, phrases, following)) : "",
    ].join(""),
  );
}

/** One line of phrases. */
export interface Phrase {
  readonly isCertain: boolean;
  /** True if the script does not separate words. */
  readonly isUnseparated: boolean;
  readonly typical: RegExp | undefined;
  /** Words of which each match contains one; `*` matches any ending. */
  readonly keys: readonly string[];
  /** Expression for normalized texts with `foldLetters`; compiled at the first use. */
  pattern(): RegExp;
  fiction(): RegExp;
}

/** Normalizes phrases like the texts in which they are searched. */
function normalizePhrases(phrases: LanguagePhrases): LanguagePhrases {
  const fold = (text: string) => foldLetters(normalize(text));
  return {
    ...phrases,
    classes: Object.fromEntries(Object.entries(phrases.classes).map(([name, words]) => [name, fold(words)])),
    certain: fold(phrases.certain),
    unsure: fold(phrases.unsure),
    fiction: fold(phrases.fiction),
  };
}

export function readPhrases(language: LanguagePhrases): Phrase[] {
  const phrases = normalizePhrases(language);
  let fictionPattern: RegExp | undefined;
  const fiction = () => (fictionPattern ??= compileWords(phrases, phrases.fiction));
  const toPhrase = (line: string, isCertain: boolean): Phrase => {
    let compiled: RegExp | undefined;
    const { parts } = readLine(line);
    const rarest = parts.find((part) => part.startsWith("^")) ?? parts[0] ?? "";
    return {
      isCertain,
      isUnseparated: phrases.letters === null,
      typical: phrases.typical,
      keys: termsOf(phrases, rarest).map(phrases.letters === null ? (term) => term : keyOf),
      pattern: () => (compiled ??= compileLine(phrases, line)),
      fiction,
    };
  };
  return [
    ...linesOf(phrases.certain).map((line) => toPhrase(line, true)),
    ...linesOf(phrases.unsure).map((line) => toPhrase(line, false)),
  ];
}
