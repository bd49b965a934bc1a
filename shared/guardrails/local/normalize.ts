/** Letters of other scripts that look like Latin ones, and the Latin ones. */
const lookalikes = new Map(
  Object.entries({
    a: "аɑα",
    b: "ЬвƄ",
    c: "сϲᴄ",
    d: "ԁɗ",
    e: "еєҽε",
    g: "ɡԍ",
    h: "һНհ",
    i: "іıɩιӏ",
    j: "јϳ",
    k: "кκ",
    l: "ⅼǀ",
    m: "м",
    n: "пո",
    o: "оοօσ",
    p: "рρ",
    q: "ԛ",
    r: "гᴦ",
    s: "ѕꜱ",
    t: "тτ",
    u: "υսц",
    v: "ѵν",
    w: "ԝѡω",
    x: "хχ",
    y: "уγү",
    z: "ᴢ",
  }).flatMap(([latin, others]) => [...others.toLowerCase()].map((other) => [other, latin] as const)),
);

const leet = new Map(
  Object.entries({ 0: "o", 1: "i", 3: "e", 4: "a", 5: "s", 7: "t", 8: "b", "@": "a", $: "s", "!": "i", "|": "l" }),
);

/** Characters nobody sees: of no width, marks of direction, soft hyphens, variation selectors, tags. */
const unseen = /\p{Default_Ignorable_Code_Point}+/gu;
const tagged = /[\u{e0020}-\u{e007e}]+/gu;
const marks = /\p{Mn}+/gu;
const wordOfLetters = /\p{L}+/gu;
const latin = /[a-z]/;
const lookalikeScript = /[\u0370-\u03ff\u0400-\u052f\u0550-\u058f]/;
const plainAscii = /^[\t\n\r -~]*$/;

/** Text written in Unicode's invisible tag characters, as it would read; empty where there is none. */
export function taggedText(text: string): string {
  return (text.match(tagged) ?? [])
    .map((run) => Array.from(run, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) - 0xe0000)).join(""))
    .join(" ");
}

/**
 * A text as a reader takes it in: compatibility forms, accents and case folded, unseen characters gone, look-alikes
 * of other scripts within a Latin word made Latin.
 */
export function normalise(text: string): string {
  if (plainAscii.test(text)) return text.toLowerCase();
  return text
    .replace(unseen, "")
    .normalize("NFKD")
    .replace(marks, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/ß/g, "ss")
    .replace(wordOfLetters, (word) =>
      latin.test(word) && lookalikeScript.test(word)
        ? Array.from(word, (char) => lookalikes.get(char) ?? char).join("")
        : word,
    );
}

/** Words whose letters are partly written as digits and signs, with letters: `1gn0re` → `ignore`. */
export function unleet(text: string): string {
  return text.replace(/[a-z0-9@$!|]{3,}/g, (word) => {
    const letters = word.replace(/[^a-z]/g, "").length;
    // At least a third letters, at least one stand-in before the end: `sha256`, `2nd`, `win!` stay.
    if (letters * 3 < word.length || !/[013457@$|!][a-z]/.test(word)) return word;
    return Array.from(word, (char) => leet.get(char) ?? char).join("");
  });
}

/** Letters set apart (`i g n o r e`, `i-g-n-o-r-e`), put together again; wider gaps part words. */
export function unspaced(text: string): string | null {
  let changed = false;
  const joined = text.replace(
    /(?<![\p{L}\d])(?:[\p{L}\d](?:[ ._*-]|(?: {2,4}|\n| [/|] )))(?:[\p{L}\d](?:[ ._*-]| {2,4}|\n| [/|] )){4,}[\p{L}\d](?![\p{L}\d])/gu,
    (run) => {
      changed = true;
      return run.replace(/( {2,}|\n| [/|] )|[ ._*-]/g, (_, gap) => (gap ? " " : ""));
    },
  );
  return changed ? joined : null;
}

const readable = /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}\s]+$/u;

/** Decoded bytes as text, if that is what they are: mostly letters, with spaces. */
function asText(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  if (text.length < 6 || text.includes("\ufffd") || !readable.test(text)) return null;
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0;
  return letters / text.length > 0.7 ? text : null;
}

const base64 = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,}={0,2}(?![A-Za-z0-9+/=_-])/g;
const hexadecimal = /(?<![0-9a-z])(?:(?:0x)?[0-9a-f]{2}[\s,:]?){10,}(?![0-9a-z])/gi;
const binary = /(?<!\d)(?:[01]{8}[\s,]?){6,}(?!\d)/g;
const escaped = /(?:\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|&#x?[0-9a-f]{2,6};|%[0-9a-f]{2}){4}/i;

/** At most this many pieces of a text are decoded. */
const piecesAtMost = 40;

function pieces(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].slice(0, piecesAtMost).map(([piece]) => piece);
}

function unescaped(text: string): string {
  const char = (code: number) => (code > 8 && code < 0x11_0000 ? String.fromCodePoint(code) : "");
  return text
    .replace(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})/gi, (_, a, b, c) =>
      char(Number.parseInt(a ?? b ?? c, 16)),
    )
    .replace(/&#x([0-9a-f]{2,6});/gi, (_, code) => char(Number.parseInt(code, 16)))
    .replace(/&#(\d{2,7});/g, (_, code) => char(Number(code)));
}

/** What a text says in base64, hexadecimal, binary, escapes, or in letters put together from quoted pieces. */
export function decodings(text: string): string[] {
  const found = [
    ...pieces(text, base64).map((piece) => asText(Buffer.from(piece, "base64"))),
    ...pieces(text, hexadecimal).map((piece) => asText(Buffer.from(piece.replace(/0x|[\s,:]/gi, ""), "hex"))),
    ...pieces(text, binary).map((piece) => {
      const bits = piece.replace(/[\s,]/g, "").match(/.{8}/g) ?? [];
      return asText(Buffer.from(bits.map((bit) => Number.parseInt(bit, 2))));
    }),
    escaped.test(text) ? unescaped(text) : null,
    /["'`]\s*\+\s*["'`]/.test(text) ? text.replace(/["'`]\s*\+\s*["'`]/g, "") : null,
  ];
  return found.filter((decoded) => decoded !== null);
}

const common = new Set(
  "the and you your to of in is all that for with are not this now from as it on be do".split(" "),
);

function commonWords(text: string): number {
  let count = 0;
  for (const word of text.match(/[a-z]+/g) ?? []) if (common.has(word)) count++;
  return count;
}

const rot13 = (text: string) =>
  text.replace(/[a-z]/g, (char) => String.fromCharCode(((char.charCodeAt(0) - 84) % 26) + 97));
const reversed = (text: string) => Array.from(text).reverse().join("");

/** A normalised text turned by thirteen letters or read backwards, where that makes more sense than the text itself. */
export function turned(text: string): string[] {
  const sense = commonWords(text);
  return [rot13(text), reversed(text)].filter((turn) => commonWords(turn) > sense + 1);
}
