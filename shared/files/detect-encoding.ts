import { analyse } from "chardet";

/** Number of bytes of lines with letters outside ASCII by which an encoding is detected. */
const MAX_SAMPLE_BYTES = 65_536;

/** Difference of confidence, of 100, by which the first of two encodings must be ahead to be chosen, for texts below and above 40 bytes. */
const [MIN_LEAD_OF_SHORT, MIN_LEAD] = [15, 10];
const MAX_SHORT_BYTES = 40;

/**
 * Encodings by the names of the detector, the likelier first. It tells no Windows code page from the ISO encoding of the same
 * letters if a text has none of the characters that only the code page has.
 */
const encodingsOf: Readonly<Record<string, readonly string[]>> = {
  "ISO-8859-1": ["windows-1252"],
  "ISO-8859-2": ["windows-1250", "iso-8859-2"],
  "windows-1250": ["windows-1250", "iso-8859-2"],
  "ISO-8859-7": ["windows-1253"],
  "ISO-8859-8": ["windows-1255"],
  "ISO-8859-9": ["windows-1254"],
};

/** Letters outside ASCII of the languages that are written in both encodings of Central Europe. */
const alphabets: Readonly<Record<string, string>> = {
  cs: "áčďéěíňóřšťúůýž",
  hu: "áéíóöőúüű",
  pl: "ąćęłńóśźż",
  ro: "ăâîșțşţ",
};

/** Characters outside ASCII that ordinary texts contain in addition to letters. */
const isOrdinary = /^[\p{L}\p{M}\p{N}\p{P}\p{Zs}\p{Sc}°§©®™±×÷·½¼¾²³¹µ№→←•´¨`～＋－＝￥\u200b-\u200f\ufeff]$/u;

/** Letters of Icelandic, which the detector does not know. In other languages, they are letters of Turkish in another encoding. */
const icelandic = /[ðþýÐÞÝ]/;

interface Candidate {
  readonly encoding: string;
  readonly confidence: number;
  readonly text: string;
}

/** Returns the lines with bytes outside ASCII. */
function takeSample(file: Uint8Array): Uint8Array {
  const lines: Uint8Array[] = [];
  let length = 0;
  for (let position = 0; position < file.length && length < MAX_SAMPLE_BYTES; ) {
    let end = file.indexOf(0x0a, position);
    if (end < 0) end = file.length;
    const line = file.subarray(position, Math.min(end + 1, position + MAX_SAMPLE_BYTES));
    if (line.some((byte) => byte >= 0x80)) {
      lines.push(line);
      length += line.length;
    }
    position = end + 1;
  }
  return Buffer.concat(lines, Math.min(length, MAX_SAMPLE_BYTES));
}

/** Decodes bytes; undefined if they are not valid, or if the text contains characters that no ordinary text has. */
function decodePlausibly(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    const others = text.match(/[^\0-\x7f]/gu) ?? [];
    const strange = others.filter((character) => !isOrdinary.test(character)).length;
    return strange > others.length / 50 ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns how many letters outside ASCII do not belong to a language. */
function countForeign(text: string, language: string): number {
  const alphabet = alphabets[language] ?? "";
  return (text.toLowerCase().match(/[^\0-\x7f]/gu) ?? []).filter((letter) => !alphabet.includes(letter)).length;
}

/** Returns the encodings in which bytes can be text, the likeliest first. */
function findCandidates(sample: Uint8Array): Candidate[] {
  return analyse(sample).flatMap(({ name, confidence, lang = "" }) => {
    if (/^(?:ASCII|UTF-)/.test(name)) return [];
    const decoded = (encodingsOf[name] ?? [name]).flatMap((encoding) => {
      const text = decodePlausibly(sample, encoding);
      return text === undefined ? [] : [{ encoding, confidence, text }];
    });
    const [best] = decoded.toSorted((one, other) => countForeign(one.text, lang) - countForeign(other.text, lang));
    return best ?? [];
  });
}

/**
 * Returns true for Thai text, whose bytes the detector takes for Chinese characters: vowel signs and tones follow consonants,
 * and no Latin letter is next to it.
 */
function isThai(text = ""): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const letters = count(/[\u0e01-\u0e5b]/g);
  const misplaced = count(
    /(?<![\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]|[A-Za-z][\u0e01-\u0e5b]/g,
  );
  return count(/[\u0e01-\u0e2e]/g) > letters * 0.4 && misplaced < letters * 0.02;
}

/** Returns the UTF-16 encoding of a text without a byte order mark, by the zero bytes of its ASCII characters. */
function findUtf16(file: Uint8Array): string | undefined {
  const start = file.subarray(0, 4_096);
  const zeros = [0, 0];
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > start.length / 8 && even === 0) return "utf-16le";
  return even > start.length / 8 && odd === 0 ? "utf-16be" : undefined;
}

/**
 * Detects the encoding of a text that is neither UTF-8 nor has a byte order mark.
 * @returns its name for `TextDecoder`; undefined if several are as likely, so that letters could be wrong
 */
export function detectEncoding(file: Uint8Array): string | undefined {
  const utf16 = findUtf16(file);
  if (utf16) return utf16;
  const sample = takeSample(file);
  if (isThai(decodePlausibly(sample, "windows-874"))) return "windows-874";
  const [first, ...others] = findCandidates(sample);
  if (!first) return undefined;
  const minLead = sample.length < MAX_SHORT_BYTES ? MIN_LEAD_OF_SHORT : MIN_LEAD;
  const rival = others.find(
    ({ text, confidence }) =>
      text !== first.text && first.confidence - confidence < (icelandic.test(text) ? 1 : minLead),
  );
  return rival ? undefined : first.encoding;
}
