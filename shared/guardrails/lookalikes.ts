/** Latin letters by their lookalikes in other scripts. */
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

const letterSequence = /\p{L}+/gu;
const latin = /[a-z]/i;
const lookalikeScript = /[\u0370-\u03ff\u0400-\u052f\u0550-\u058f]/;

/** Returns the Latin lookalike of a letter, in the same case; the letter itself if there is none. */
function toLatin(letter: string): string {
  const exact = lookalikes.get(letter);
  if (exact) return exact;
  const lower = lookalikes.get(letter.toLowerCase());
  return lower ? lower.toUpperCase() : letter;
}

/** Replaces lookalikes of other scripts within Latin words: a Cyrillic `о` in `ignоre` becomes a Latin `o`. */
export function foldLookalikes(text: string): string {
  if (!lookalikeScript.test(text)) return text;
  return text.replace(letterSequence, (word) =>
    latin.test(word) && lookalikeScript.test(word) ? Array.from(word, toLatin).join("") : word,
  );
}
