import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

/** Regular expression literal in the sources. */
export interface Expression {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

/** Returns the regular expression literals of the tracked sources in `folders`, each once. */
export function findExpressions(folders: readonly string[]): Expression[] {
  const files = execFileSync("git", ["ls-files", "--", ...folders], { encoding: "utf8" })
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file));
  const found = new Map<string, Expression>();
  const visit = (node: unknown, file: string): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, regex } = node as { type?: string; regex?: { pattern: string; flags: string } };
    if (type === "Literal" && regex) {
      const { pattern, flags } = regex;
      const key = `/${pattern}/${flags}`;
      if (!found.has(key)) found.set(key, { file, pattern, flags });
    }
    for (const child of Object.values(node)) visit(child, file);
  };
  for (const file of files) visit(parseSync(file, readFileSync(file, "utf8")).program, file);
  return [...found.values()];
}

const candidates = [
  "a",
  "A",
  "1",
  " ",
  "\n",
  ".",
  "-",
  "_",
  "/",
  ":",
  "=",
  '"',
  "'",
  "<",
  ">",
  "[",
  "]",
  "(",
  ")",
  "&",
  "é",
  "文",
];

/** Matches the parts of a pattern that consume a character. */
const atom = /\\[pP]\{[^}]+\}|\\u\{?[\da-f]+\}?|\\x[\da-f]{2}|\\.|\[(?:\\.|[^\]\\])*\]|[^()|*+?{}^$]/giu;

const isWordCharacter = (char: string) => /\w/.test(char);

/**
 * Returns characters that a part of a pattern matches: two of a class, because its neighbors may share only one. If possible, only
 * one belongs to words, because a match can begin at each boundary of a word.
 */
function charactersOf(part: string, flags: string): string[] {
  if (part.length === 1) return [part];
  if (/^\\[bBkKdswDSW1-9]$/.test(part) && /[bBkK1-9]$/.test(part)) return [];
  try {
    const expression = new RegExp(`^(?:${part})$`, flags.replace(/[gy]/g, ""));
    const matching = candidates.filter((char) => expression.test(char));
    const [first, second] = matching;
    if (first !== undefined) {
      const other = matching.find((char) => isWordCharacter(char) !== isWordCharacter(first)) ?? second;
      return other === undefined ? [first] : [first, other];
    }
    const literal = part.replace(/^\\/, "");
    return expression.test(literal) ? [literal] : [];
  } catch {
    return [];
  }
}

/**
 * Returns further ends of texts that cannot match: none, if a part of a pattern matches any other end, and, if the pattern requires
 * the end of the text, the first character that each negated class excludes, and a line break for `.`.
 */
function furtherEnds(pattern: string): string[] {
  const isOpen = /\[\^|\\[SDWP]|(?<!\\)\./.test(pattern);
  if (!pattern.endsWith("$")) return isOpen ? [""] : [];
  const excluded = Array.from(pattern.matchAll(/\[\^\\?([^\]\w])/g), ([, character = ""]) => character);
  const lineBreak = /(?<!\\)\./.test(pattern) ? ["\n"] : [];
  return [...new Set([...excluded, ...lineBreak].map((end) => `${end}\u0001`)), ...(isOpen ? [""] : [])];
}

/**
 * Returns functions that create texts of a length that are likely to make an expression slow: repetitions of what its parts
 * match, alone, together, and after the beginning of a match, each with an end that cannot match.
 */
export function worstTexts({ pattern, flags }: Expression): ((length: number) => string)[] {
  const parts = (pattern.replace(/\{\d+(?:,\d*)?\}/g, "").match(atom) ?? []).map((part) => charactersOf(part, flags));
  const first = parts.flatMap(([char]) => char ?? []);
  const singles = [...new Set(parts.flat())];
  const whole = first.join("");
  const units = new Set([
    ...singles,
    ...singles.slice(0, 6).flatMap((one) => singles.slice(0, 6).map((other) => one + other)),
    whole,
    whole.slice(0, Math.ceil(whole.length / 2)),
    whole.slice(0, -1),
  ]);
  // Alternatives to a part that only matches at the beginning need a text that does not begin with it.
  const other = /^\^.*\|/.test(pattern) ? ["\u0001"] : [];
  const prefixes = new Set(["", ...other, ...[1, 2, 4, 8].map((count) => whole.slice(0, count))]);
  const texts = (prefix: string, end: string) => (unit: string) => (length: number) =>
    `${prefix}${unit.repeat(Math.ceil(length / unit.length))}${end}`;
  const repeated = [...units].filter(Boolean);
  return [
    ...[...prefixes].flatMap((prefix) => repeated.map(texts(prefix, "\u0001"))),
    ...furtherEnds(pattern).flatMap((end) => repeated.map(texts("", end))),
  ];
}
