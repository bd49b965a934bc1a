/** One word of a text, or a sign that stands for structure. */
export interface Token {
  readonly word: string;
  /** The running text from here on, in scripts that put no spaces between words; null in others. */
  readonly ahead: string | null;
  /** It begins a sentence or a line. */
  readonly begins: boolean;
}

/** Signs of chat formats, of a role speaking, of one text ending and another beginning, of what nobody is to see. */
const structure: readonly (readonly [RegExp, string])[] = [
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

const wordOrSign =
  /«[a-z]+»|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*(?:['’-][\p{L}\p{N}]+)*|[.!?…。！？\n:;"“”]/gu;
const east = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const ending = /^[.!?…。！？\n:;"“”]$/u;

/** A normalised text as words. Running text of Chinese, Japanese and Korean comes as pairs of characters, overlapping. */
export function tokensOf(text: string): Token[] {
  let marked = text;
  for (const [pattern, sign] of structure) marked = marked.replace(pattern, sign);
  const tokens: Token[] = [];
  let begins = true;
  for (const [word] of marked.matchAll(wordOrSign)) {
    if (ending.test(word)) {
      begins = true;
      continue;
    }
    if (east.test(word)) {
      for (let at = 0; at < Math.max(1, word.length - 1); at++) {
        tokens.push({ word: word.slice(at, at + 2), ahead: word.slice(at, at + 6), begins: begins && at === 0 });
      }
    } else {
      tokens.push({ word: word.slice(0, 40).replaceAll("’", "'"), ahead: null, begins });
    }
    begins = false;
  }
  return tokens;
}
