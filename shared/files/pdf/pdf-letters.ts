/** Text that is drawn in one piece. White space can be a separate run. */
export interface TextRun {
  readonly text: string;
  /** Distance from the end of the previous run, in points. */
  readonly gap: number;
  readonly width: number;
}

/** Text between two spaces of a line. */
interface Token {
  text: string;
  /** Width of the space before the token, in points; null if it is unknown because the space is within a run. */
  readonly gap: number | null;
}

/** Minimum distance between two runs that counts as a space, relative to the font height. */
const SPACE_GAP = 0.2;
/** Minimum number of consecutive single letters that are joined to spaced words. Fewer letters can be initials. */
const MIN_SPACED_LETTERS = 5;
/** Minimum width of the space between spaced words, relative to the space between their letters. */
const WORD_GAP_SCALE = 1.5;
/** Maximum width of a space within a spaced word, relative to the font height. */
const MAX_LETTER_GAP = 1.2;

function toTokens(runs: readonly TextRun[], height: number): Token[] {
  const tokens: Token[] = [];
  let gap = 0;
  let hasSpace = false;
  for (const run of runs) {
    gap += run.gap;
    const words = run.text.split(/\s+/);
    if (run.text.trim() === "") {
      gap += run.width;
      hasSpace ||= run.text !== "";
      continue;
    }
    const [first = "", ...others] = words;
    const last = tokens.at(-1);
    const isApart = hasSpace || first === "" || gap > height * SPACE_GAP || gap < -height;
    if (first !== "" && last && !isApart) last.text += first;
    else if (first !== "") tokens.push({ text: first, gap });
    for (const text of others)
      if (text !== "") tokens.push({ text, gap: first === "" && text === others[0] ? gap : null });
    gap = 0;
    hasSpace = words.at(-1) === "";
  }
  return tokens;
}

const isLetter = ({ text }: Token) => /^[\p{L}\p{M}]{1,2}$/u.test(text) && [...text.normalize("NFC")].length === 1;
const isSpacedCharacter = (token: Token) => isLetter(token) || /^[\p{P}\p{N}]$/u.test(token.text);

/** Returns the gap above which letters belong to different spaced words, in points. */
function findWordGap(tokens: readonly Token[], height: number): number {
  const gaps = tokens
    .flatMap(({ gap }) => (gap === null || gap > height * MAX_LETTER_GAP ? [] : [gap]))
    .sort((a, b) => a - b);
  // PDF.js returns narrow gaps as spaces within a run and wide ones as runs of their own.
  const areLettersInRuns = gaps.length * 2 < tokens.length;
  const median = gaps[Math.floor(gaps.length / 2)] ?? 0;
  return Math.min(height * MAX_LETTER_GAP, areLettersInRuns ? 0 : median * WORD_GAP_SCALE);
}

/** Joins single letters to spaced words. Wide gaps separate words. */
function joinSpaced(tokens: readonly Token[], height: number): string {
  const wordGap = findWordGap(tokens.slice(1), height);
  return tokens
    .map(({ text, gap }, index) => (index > 0 && gap !== null && gap > wordGap ? ` ${text}` : text))
    .join("");
}

/**
 * Joins the runs of a line to its text. Gaps between runs become spaces, except between the letters of a word in spaced
 * type.
 */
export function joinRuns(runs: readonly TextRun[], height: number): string {
  const tokens = toTokens(runs, height);
  const words: string[] = [];
  for (let start = 0; start < tokens.length; ) {
    let end = start;
    let letters = 0;
    for (let token = tokens[end]; token && isSpacedCharacter(token); token = tokens[++end])
      if (isLetter(token)) letters++;
    if (letters >= MIN_SPACED_LETTERS) words.push(joinSpaced(tokens.slice(start, end), height));
    else words.push(...tokens.slice(start, Math.max(end, start + 1)).map(({ text }) => text));
    start = Math.max(end, start + 1);
  }
  return words.join(" ");
}
