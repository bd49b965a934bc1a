/** Word of a text, or a marker for structure. */
export interface Token {
  readonly word: string;
  /** Text from this position on, in scripts without spaces between words; null in others. */
  readonly ahead: string | null;
  /** True for the first word of a sentence or line. */
  readonly isFirst: boolean;
}

/** Markers for chat formats, roles, text boundaries, hidden content, links and images. */
const structureMarkers: readonly (readonly [RegExp, string])[] = [
  [
    /<\|[a-z_ -]{2,30}\|>|\[\/?(?:inst|sys|system)\]|<<\/?sys>>|<\/?(?:system|instructions?|assistant|im_start|im_end|system_prompt|developer)>|\bim_(?:start|end)\b/g,
    " «format» ",
  ],
  [
    /(?<=^|\n)[ \t>*#"'`[(-]{0,6}(?:system|assistant|developer|admin|root|ai|operator)(?: (?:message|prompt|note|override|update|instructions?|notice))?[\])"'`*]{0,3} ?:/g,
    " «role» : ",
  ],
  [/(?<=^|\n)[ \t>*#"'`[(-]{0,6}(?:user|human|question|q|input)[\])"'`*]{0,3} ?:/g, " «user» : "],
  [/(?<=^|\n)[ \t]*(?:[-=#*_~]{4,}|"{3}|'{3}|`{3})/g, " «rule» : "],
  [
    /<!--|display: ?none|visibility: ?hidden|font-size: ?0|color: ?(?:#fff(?:fff)?|white)\b|aria-hidden|\[\/\/\]: ?#/g,
    " «hidden» : ",
  ],
  [/https?:\/\/[^\s<>"')\]]{3,}/g, " «link» "],
  [/!\[[^\]\n]{0,200}\]\(/g, " «image» "],
];

const wordOrPunctuation =
  /«[a-z]+»|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*(?:['’-][\p{L}\p{N}]+)*|[.!?…。！？\n:;"“”]/gu;
const eastAsian = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const sentenceEnd = /^[.!?…。！？\n:;"“”]$/u;

/** Splits a normalized text into words; Chinese, Japanese and Korean text into overlapping pairs of characters. */
export function tokenize(text: string): Token[] {
  let marked = text;
  for (const [pattern, marker] of structureMarkers) marked = marked.replace(pattern, marker);
  const tokens: Token[] = [];
  let isFirst = true;
  for (const [word] of marked.matchAll(wordOrPunctuation)) {
    if (sentenceEnd.test(word)) {
      isFirst = true;
      continue;
    }
    if (eastAsian.test(word)) {
      for (let index = 0; index < Math.max(1, word.length - 1); index++) {
        tokens.push({
          word: word.slice(index, index + 2),
          ahead: word.slice(index, index + 6),
          isFirst: isFirst && index === 0,
        });
      }
    } else {
      tokens.push({ word: word.slice(0, 40).replaceAll("’", "'"), ahead: null, isFirst });
    }
    isFirst = false;
  }
  return tokens;
}
