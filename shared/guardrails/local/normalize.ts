import { foldLookalikes } from "../lookalikes.ts";

const leet = new Map(
  Object.entries({ 0: "o", 1: "i", 3: "e", 4: "a", 5: "s", 7: "t", 8: "b", "@": "a", $: "s", "!": "i", "|": "l" }),
);

/** Matches invisible characters: zero-width characters, direction marks, soft hyphens, variation selectors, tags. */
const invisible = /\p{Default_Ignorable_Code_Point}+/gu;
const tagCharacters = /[\u{e0020}-\u{e007e}]+/gu;
const combiningMarks = /\p{Mn}+/gu;
const plainAscii = /^[\t\n\r -~]*$/;

/** Decodes text that is written in Unicode's invisible tag characters; empty if there is none. */
export function decodeTagCharacters(text: string): string {
  return (text.match(tagCharacters) ?? [])
    .map((run) => Array.from(run, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) - 0xe0000)).join(""))
    .join(" ");
}

/**
 * Normalizes a text for rules: converts it to lower case, folds compatibility forms and accents, removes invisible
 * characters, and replaces lookalikes of other scripts within Latin words.
 */
export function normalize(text: string): string {
  if (plainAscii.test(text)) return text.toLowerCase();
  return foldLookalikes(
    text
      .replace(invisible, "")
      .normalize("NFKD")
      .replace(combiningMarks, "")
      .normalize("NFC")
      .toLowerCase()
      .replace(/ß/g, "ss"),
  );
}

/** Matches a substitute before a letter. */
const substitute = /[013457@$|!][a-z]/;

/** Replaces digits and symbols that stand for letters (leetspeak): `1gn0re` → `ignore`. */
export function unleet(text: string): string {
  if (!substitute.test(text)) return text;
  return text.replace(/[a-z0-9@$!|]{3,}/g, (word) => {
    const letters = word.replace(/[^a-z]/g, "").length;
    // Words such as `sha256`, `2nd` and `win!` stay: a third of the characters must be letters, and a letter must
    // follow a substitute.
    if (letters * 3 < word.length || !substitute.test(word)) return word;
    return Array.from(word, (char) => leet.get(char) ?? char).join("");
  });
}

/**
 * Joins spaced letters (`i g n o r e`, `i-g-n-o-r-e`). Wider gaps separate words. Null if there are no spaced letters.
 */
export function joinSpacedLetters(text: string): string | null {
  let hasChanged = false;
  const joined = text.replace(
    /(?<![\p{L}\d])(?:[\p{L}\d](?:[ ._*-]|(?: {2,4}|\n| [/|] )))(?:[\p{L}\d](?:[ ._*-]| {2,4}|\n| [/|] )){4,}[\p{L}\d](?![\p{L}\d])/gu,
    (run) => {
      hasChanged = true;
      return run.replace(/( {2,}|\n| [/|] )|[ ._*-]/g, (_, gap) => (gap ? " " : ""));
    },
  );
  return hasChanged ? joined : null;
}

const readable = /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}\s]+$/u;

/** Returns decoded bytes as text if more than 70 % of it are letters and spaces, otherwise null. */
function toReadableText(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  if (text.length < 6 || text.includes("\ufffd") || !readable.test(text)) return null;
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0;
  return letters / text.length > 0.7 ? text : null;
}

const base64 = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,}={0,2}(?![A-Za-z0-9+/=_-])/g;
const hexadecimal = /(?<![0-9a-z])(?:(?:0x)?[0-9a-f]{2}[\s,:]?){10,}(?![0-9a-z])/gi;
const binary = /(?<!\d)(?:[01]{8}[\s,]?){6,}(?!\d)/g;
const escapeSequences = /(?:\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|&#x?[0-9a-f]{2,6};|%[0-9a-f]{2}){4}/i;

/** Maximum number of payloads that are decoded per encoding. */
const MAX_PAYLOADS = 40;

function findPayloads(text: string, pattern: RegExp): string[] {
  return (text.match(pattern) ?? []).slice(0, MAX_PAYLOADS);
}

function decodeEscapes(text: string): string {
  const char = (code: number) => (code > 8 && code < 0x11_0000 ? String.fromCodePoint(code) : "");
  return text
    .replace(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})/gi, (_, a, b, c) =>
      char(Number.parseInt(a ?? b ?? c, 16)),
    )
    .replace(/&#x([0-9a-f]{2,6});/gi, (_, code) => char(Number.parseInt(code, 16)))
    .replace(/&#(\d{2,7});/g, (_, code) => char(Number(code)));
}

/**
 * Returns the decoded texts of parts in base64, hexadecimal or binary, and variants of the text with escape sequences
 * resolved or string literals concatenated.
 */
export function decodePayloads(text: string): string[] {
  const candidates = [
    ...findPayloads(text, base64).map((payload) => toReadableText(Buffer.from(payload, "base64"))),
    ...findPayloads(text, hexadecimal).map((payload) =>
      toReadableText(Buffer.from(payload.replace(/0x|[\s,:]/gi, ""), "hex")),
    ),
    ...findPayloads(text, binary).map((payload) => {
      const bytes = payload.replace(/[\s,]/g, "").match(/.{8}/g) ?? [];
      return toReadableText(Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))));
    }),
    escapeSequences.test(text) ? decodeEscapes(text) : null,
    /["'`]\s*\+\s*["'`]/.test(text) ? text.replace(/["'`]\s*\+\s*["'`]/g, "") : null,
  ];
  return candidates.filter((decoded) => decoded !== null);
}

const commonEnglishWords = new Set(
  "the and you your to of in is all that for with are not this now from as it on be do".split(" "),
);

const rot13 = (text: string) =>
  text.replace(/[a-z]/g, (char) => String.fromCharCode(((char.charCodeAt(0) - 84) % 26) + 97));
const reverse = (text: string) => Array.from(text).reverse().join("");

const rotatedEnglishWords = new Set(Array.from(commonEnglishWords, rot13));
const reversedEnglishWords = new Set(Array.from(commonEnglishWords, reverse));

/**
 * Returns the ROT13 and the reversed form of a normalized text, each only if it contains more common English words than
 * the text itself.
 */
export function findTransformedReadings(text: string): string[] {
  let [plain, rotated, reversed] = [0, 0, 0];
  for (const word of text.match(/[a-z]+/g) ?? []) {
    if (commonEnglishWords.has(word)) plain++;
    if (rotatedEnglishWords.has(word)) rotated++;
    if (reversedEnglishWords.has(word)) reversed++;
  }
  return [...(rotated > plain + 1 ? [rot13(text)] : []), ...(reversed > plain + 1 ? [reverse(text)] : [])];
}
