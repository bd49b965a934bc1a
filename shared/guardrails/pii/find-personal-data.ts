import type { Span } from "../spans.ts";
import {
  isAadhaar,
  isBrazilianCpf,
  isFrenchSocialSecurityNumber,
  isGermanTaxId,
  isIban,
  isLuhnValid,
  isNhsNumber,
  isSpanishIdentityNumber,
  isUsSocialSecurityNumber,
} from "./checksums.ts";

/** Kind of personal data: its pattern, a validation, and a preceding text required where the pattern is ambiguous. */
interface PersonalDataKind {
  readonly kind: string;
  readonly pattern: RegExp;
  readonly check?: (compact: string) => boolean;
  /** Pattern of the text that must precede the match. */
  readonly after?: RegExp;
  readonly score: number;
}

const cardNumberPrefix = /^(?:4|5[1-5]|2[2-7]|3[47]|3[0689]|6(?:011|4|5|2)|35)/;
const cardNumberLengths = new Set([13, 14, 15, 16, 17, 18, 19]);

const kinds: readonly PersonalDataKind[] = [
  {
    kind: "card number",
    pattern: /(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d])/g,
    check: (digits) =>
      cardNumberLengths.has(digits.length) &&
      cardNumberPrefix.test(digits) &&
      isLuhnValid(digits) &&
      !/^(\d)\1+$/.test(digits),
    score: 0.99,
  },
  {
    kind: "IBAN",
    pattern: /(?<![A-Za-z\d])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z\d]{2,4}){3,8}(?:[ -]?[A-Za-z\d]{1,3})?(?![A-Za-z\d])/g,
    score: 0.99,
  },
  {
    kind: "social security number",
    pattern: /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g,
    check: isUsSocialSecurityNumber,
    score: 0.95,
  },
  {
    kind: "social security number",
    pattern: /(?<!\d)\d{3}[ .]?\d{2}[ .]?\d{4}(?!\d)/g,
    check: isUsSocialSecurityNumber,
    after: /\b(?:ssn|social security)\b/i,
    score: 0.95,
  },
  { kind: "tax number", pattern: /(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/g, check: isBrazilianCpf, score: 0.95 },
  {
    kind: "tax number",
    pattern: /(?<!\d)\d{2} ?\d{3} ?\d{3} ?\d{3}(?!\d)/g,
    check: isGermanTaxId,
    after: /steuer|tax|idnr/i,
    score: 0.9,
  },
  {
    kind: "identity number",
    pattern: /(?<![A-Za-z\d])(?:[XYZ]\d{7}|\d{8})-?[A-HJ-NP-TV-Z](?![A-Za-z\d])/g,
    check: isSpanishIdentityNumber,
    score: 0.9,
  },
  { kind: "identity number", pattern: /(?<!\d)\d{4} \d{4} \d{4}(?![ \d])/g, check: isAadhaar, score: 0.8 },
  { kind: "identity number", pattern: /(?<!\d)\d{12}(?!\d)/g, check: isAadhaar, after: /aadha?ar|uidai/i, score: 0.9 },
  {
    kind: "identity number",
    pattern: /(?<!\d)[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\d)/g,
    check: isFrenchSocialSecurityNumber,
    score: 0.95,
  },
  {
    kind: "health number",
    pattern: /(?<!\d)\d{3}[ -]?\d{3}[ -]?\d{4}(?!\d)/g,
    check: isNhsNumber,
    after: /\bnhs\b/i,
    score: 0.9,
  },
  {
    kind: "insurance number",
    pattern:
      /(?<![A-Za-z\d])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Za-z\d])/g,
    score: 0.85,
  },
  {
    kind: "tax number",
    pattern:
      /(?<![A-Za-z\d])[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z\d])|(?<![A-Za-z\d])[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z](?![A-Za-z\d])/g,
    score: 0.85,
  },
  {
    kind: "e-mail address",
    pattern:
      /(?<![\w.+%-])[\p{L}\d][\p{L}\d._%+'-]{0,63}@(?:[\p{L}\d](?:[\p{L}\d-]{0,61}[\p{L}\d])?\.){1,6}\p{L}{2,24}(?![\p{L}\d-])/gu,
    score: 0.95,
  },
  {
    kind: "phone number",
    pattern:
      /(?<![\p{L}\d.+:/-]|\d )(?:\+|00)[1-9]\d{0,2}[ .-]?(?:\(0?\d{1,4}\)[ .-]?)?\d{1,5}(?:[ .-]?\d{2,5}){1,4}(?!\d)/gu,
    check: (digits) => digits.length >= 8 && digits.length <= 17,
    score: 0.85,
  },
  {
    kind: "phone number",
    pattern:
      /(?<![\d.-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[ .-]\d{4}(?!\d)(?:\s?(?:x|ext\.?)\s?\d{1,6})?/g,
    score: 0.85,
  },
  {
    kind: "phone number",
    pattern: /(?<!\d)\(?0?\d{2,5}\)?(?:[ ./-]?\d{2,6}){1,4}(?!\d)/g,
    check: (digits) => digits.length >= 7 && digits.length <= 15,
    after:
      /\b(?:phone|mobile|cell|call|tel|telefon|telephone|handy|fax|whatsapp|móvil|teléfono|téléphone|celular|cellulare|contact number|reach me|text me|ring)\b[^\n]{0,24}$|(?:電話|电话|手机|手機)[^\n]{0,8}$/i,
    score: 0.75,
  },
  {
    kind: "passport number",
    pattern: /(?<![A-Za-z\d])(?=[A-Z\d]{0,11}\d)[A-Z\d]{6,12}(?![A-Za-z\d])/g,
    after: /\b(?:passport|reisepass|pasaporte|passeport|passaporto)\b[^\n]{0,24}$/i,
    score: 0.85,
  },
  {
    kind: "license number",
    pattern: /(?<![A-Za-z\d])(?=[A-Z\d][A-Z\d-]{0,18})(?=[A-Z\d-]{0,18}\d)[A-Z\d][A-Z\d-]{4,18}(?![A-Za-z\d])/g,
    after:
      /\b(?:driv(?:er'?s?|ing)[ -]?licen[cs]e|führerschein\w*|licencia de conducir|permis de conduire|medical record|mrn|patient id|insurance (?:id|number|policy)|health plan|identity card|id card|personalausweis\w*)\b[^\n]{0,24}$/i,
    score: 0.8,
  },
  {
    kind: "account number",
    pattern: /(?<![A-Za-z\d])\d(?:[ -]?\d){5,17}(?!\d)/g,
    after:
      /\b(?:account|acct|routing|kontonummer|cuenta|compte|conta|conto|sort code|bank)\b\W{0,3}(?:number|no\.?|num|#)?\W{0,3}(?:is)?\W{0,3}$/i,
    score: 0.75,
  },
  {
    kind: "date of birth",
    pattern:
      /(?<!\d)(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d{2}|(?:19|20)\d{2}-\d{2}-\d{2}|(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d{2})(?!\d)/gi,
    after:
      /\b(?:born(?: on)?|birth(?:day|date)?|date of birth|dob|d\.o\.b\.?|geboren(?: am)?|geburtsdatum|nacid[oa] el|nascimento|naissance|née? le|nat[oa] il)\b[^\n]{0,16}$/i,
    score: 0.85,
  },
  {
    kind: "postal address",
    pattern:
      /(?<![\w.])\d{1,5}[a-z]? (?:[NSEW]\.? )?(?:[A-Z][\p{L}'.-]{1,20} ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Square|Terrace|Place|Pl|Way|Parkway|Pkwy|Close|Crescent|Circle)\b\.?/gu,
    score: 0.75,
  },
  {
    kind: "postal address",
    pattern: /(?<!\p{L})\p{Lu}[\p{L}-]{2,24}(?:straße|strasse|str\.|weg|gasse|allee|platz) \d{1,4}[a-z]?(?!\d)/gu,
    score: 0.75,
  },
  {
    kind: "wallet address",
    pattern:
      /(?<![A-Za-z\d])(?:0x[0-9a-fA-F]{40}|bc1[02-9ac-hj-np-z]{25,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34})(?![A-Za-z\d])/g,
    score: 0.75,
  },
  {
    kind: "network address",
    pattern:
      /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])|(?<![\w:])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:])|(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])/gi,
    after: /\b(?:my|his|her|their|user'?s?|customer'?s?|client'?s?|visitor'?s?|logged in from|mac|ip)\b[^\n]{0,32}$/i,
    score: 0.7,
  },
];

/** Contact data, which is allowed by default because users write letters with the assistant. */
const contactKinds = new Set(["e-mail address", "phone number", "postal address", "date of birth", "network address"]);

/** Length of the preceding text that `after` patterns are applied to. */
const LOOK_BEHIND_CHARACTERS = 60;

/** Precheck that every kind matches: a digit, an at sign, or the letters of a network address. */
const mayContainPersonalData = /[\d@]|(?:[a-f]{1,4}[:-]){5}/i;

/** Returns the length of the longest prefix that is a valid IBAN, or null. The pattern may also match following words. */
function findIbanLength(candidate: string): number | null {
  const compact = candidate.replace(/[ -]/g, "").toUpperCase();
  for (let length = Math.min(compact.length, 34); length >= 15; length--) {
    if (!isIban(compact.slice(0, length))) continue;
    let count = 0;
    for (let index = 0; index < candidate.length; index++) {
      if (!/[ -]/.test(candidate[index] ?? "") && ++count === length) return index + 1;
    }
  }
  return null;
}

/** Finds data in a text that identifies a person or an account, or is a way to contact a person. */
export function findPersonalData(text: string): Span[] {
  if (!mayContainPersonalData.test(text)) return [];
  const spans: Span[] = [];
  for (const { kind, pattern, check, after, score } of kinds) {
    for (const match of text.matchAll(pattern)) {
      const from = match.index;
      if (after && !after.test(text.slice(Math.max(0, from - LOOK_BEHIND_CHARACTERS), from))) continue;
      const length = kind === "IBAN" ? findIbanLength(match[0]) : match[0].length;
      if (length === null) continue;
      if (check && !check(match[0].replace(/[^A-Za-z\d]/g, ""))) continue;
      spans.push({
        from,
        to: from + length,
        category: "personal_data",
        kind,
        score,
        isContact: contactKinds.has(kind),
      });
    }
  }
  return spans;
}
