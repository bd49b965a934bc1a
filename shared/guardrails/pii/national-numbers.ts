import type { SensitiveFormat } from "../sensitive-pattern.ts";
import { announcedNumbers } from "./announced-numbers.ts";
import { isKoreanRrn, isPolishPesel, isSwedishPersonnummer } from "./checksums.ts";

/** Returns the number at the start of a text that its name follows; empty if it is invalid. */
function cutNumberBeforeWord(match: string) {
  const [number = ""] = /^[\d+-]+/.exec(match) ?? [];
  const compact = number.replace(/\D/g, "");
  const isValid = /pesel/i.test(match) ? isPolishPesel : isSwedishPersonnummer;
  return isValid(compact) ? [{ from: 0, to: number.length, replacement: "[identity number]" }] : [];
}

/** Formats of national identity and tax numbers that have a check digit. */
export const nationalNumberFormats: readonly Omit<SensitiveFormat, "category">[] = [
  ...announcedNumbers,
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
