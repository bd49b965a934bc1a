import type { SensitiveFormat } from "../sensitive-pattern.ts";
import {
  isAadhaar,
  isBrazilianCpf,
  isDutchBsn,
  isItalianTaxCode,
  isJapaneseMyNumber,
  isKoreanRrn,
  isPolishPesel,
  isSpanishIdentityNumber,
  isSwedishPersonnummer,
  isTurkishTckn,
} from "./checksums.ts";

/** Number that is written in too many ways to be recognized without its name before it. */
interface NationalNumber {
  readonly kind: "identity number" | "tax number";
  readonly pattern: RegExp;
  readonly words: RegExp;
  isValid(compact: string): boolean;
}

const elevenDigits = /(?<!\d)\d{11}(?!\d)/;
const twelveDigits = /(?<!\d)\d{4}[ -]?\d{4}[ -]?\d{4}(?!\d)/;

const announcedNumbers: readonly NationalNumber[] = [
  { kind: "tax number", pattern: elevenDigits, words: /\bcpf\b/i, isValid: isBrazilianCpf },
  { kind: "identity number", pattern: elevenDigits, words: /\bpesel\w{0,3}\b/i, isValid: isPolishPesel },
  {
    kind: "identity number",
    pattern: elevenDigits,
    words: /\bt\.? ?c\.?\b|\btckn\b|\bkimlik\b/i,
    isValid: isTurkishTckn,
  },
  {
    kind: "identity number",
    pattern: /(?<!\d)(?:\d{3}[ .]?\d{3}[ .]?\d{3}|\d{4}[ .]\d{2}[ .]\d{3})(?!\d)/,
    words: /\bbsn\b|burgerservicenummer|sofinummer/i,
    isValid: isDutchBsn,
  },
  {
    kind: "identity number",
    pattern: /(?<!\d)(?:19|20)?\d{6}[-+]?\d{4}(?!\d)/,
    words: /\bperson(?:nr|nummer)|\bpnr\b/i,
    isValid: isSwedishPersonnummer,
  },
  { kind: "identity number", pattern: twelveDigits, words: /aadha?ar|uidai|आधार/i, isValid: isAadhaar },
  {
    kind: "identity number",
    pattern: twelveDigits,
    words: /個人番号|マイナ|my ?number/i,
    isValid: isJapaneseMyNumber,
  },
  {
    kind: "identity number",
    pattern: /(?<![A-Za-z\d])(?:[xyz]\d{7}|\d{8})[ -]?[a-z](?![A-Za-z\d])/i,
    words: /\b(?:dni|nie|nif)\b/i,
    isValid: (number) => isSpanishIdentityNumber(number.toUpperCase()),
  },
  {
    kind: "tax number",
    pattern: /(?<![A-Za-z\d])[a-z]{6}\d{2}[a-z]\d{2}[a-z]\d{3}[a-z](?![A-Za-z\d])/i,
    words: /\bcf\b|codice fiscale/i,
    isValid: (number) => isItalianTaxCode(number.toUpperCase()),
  },
];

/** Returns the number at the start of a text that its name follows; empty if it is invalid. */
function cutNumberBeforeWord(match: string) {
  const [number = ""] = /^[\d+-]+/.exec(match) ?? [];
  const compact = number.replace(/\D/g, "");
  const isValid = /pesel/i.test(match) ? isPolishPesel : isSwedishPersonnummer;
  return isValid(compact) ? [{ from: 0, to: number.length, replacement: "[identity number]" }] : [];
}

/** Formats of national identity and tax numbers that have a check digit, with the word for them. */
export const nationalNumberFormats: readonly Omit<SensitiveFormat, "category">[] = [
  ...announcedNumbers.map(({ kind, pattern, words, isValid }) => ({
    kind,
    pattern,
    score: 0.9,
    cue: { words, gap: /[\s\S]{0,60}/ },
    measure: (match: string) => (isValid(match.replace(/[^A-Za-z\d]/g, "")) ? match.length : 0),
  })),
  {
    kind: "identity number",
    pattern: /(?<![\d.+-])\d{6}-[1-8]\d{6}(?![\d-])/,
    score: 0.9,
    measure: (match) => (isKoreanRrn(match.replace("-", "")) ? match.length : 0),
  },
  {
    kind: "identity number",
    pattern: /(?<![\d.+-])\d{6,8}[-+]?\d{4,5} (?:som|jako|to) (?:pesel|pnr|personnummer)/i,
    score: 0.9,
    cut: cutNumberBeforeWord,
  },
];
