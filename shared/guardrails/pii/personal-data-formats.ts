import type { SensitiveFormat } from "../sensitive-pattern.ts";
import { measureCardNumber, measureIban } from "./account-numbers.ts";
import {
  isAadhaar,
  isBrazilianCpf,
  isFrenchSocialSecurityNumber,
  isGermanTaxId,
  isItalianTaxCode,
  isNhsNumber,
  isSpanishIdentityNumber,
  isUsSocialSecurityNumber,
} from "./checksums.ts";
import { nationalNumberFormats } from "./national-numbers.ts";
import { isWalletAddress } from "./wallet-checksums.ts";

/** Returns a `measure` function that accepts the whole match if its letters and digits are valid, and otherwise rejects it. */
const whenValid = (isValid: (compact: string) => boolean) => (match: string) =>
  isValid(match.replace(/[^A-Za-z\d]/g, "")) ? match.length : 0;

/** Kinds of contact details. They are redacted only if the policy asks for it, because users write letters with the assistant. */
const contactKinds = new Set(["e-mail address", "phone number", "postal address", "date of birth", "network address"]);

/** Matches dates and times without separators, such as `20240517` and `20240517101530`, which are no phone or identity numbers. */
const compactDate = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?|[TZ])?$/;

/** Matches IP addresses that identify no one: loopback and broadcast addresses, and network masks. */
const ownAddress = /^(?:127\.|0\.|255\.|\d{1,3}\.0\.0\.0$)/;

/** Matches texts that resemble e-mail addresses: file names with a pixel density, such as `icon@2x.png`, and Git logins. */
const notMail =
  /^git@|\.(?:png|jpe?g|gif|svg|webp|avif|css|m?js|tsx?|json|ya?ml|service|lock|zip|tgz|local|internal)$/i;

const formats: readonly Omit<SensitiveFormat, "category">[] = [
  {
    kind: "card number",
    // Digits next to letters and hyphens belong to hashes, UUIDs and names such as `blk_5165786360127153975`.
    pattern: /(?<![A-Za-z\d_.+/-])\d(?:[ -]?\d){11,18}(?![A-Za-z\d_+/-])/,
    measure: measureCardNumber,
    score: 0.99,
  },
  {
    kind: "IBAN",
    // The words after an IBAN can look like a part of it, so `measureIban` determines where the IBAN ends.
    pattern: /(?<![A-Za-z\d_/+-])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z\d]){11,30}/,
    measure: measureIban,
    score: 0.99,
  },
  {
    kind: "social security number",
    pattern: /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/,
    measure: whenValid(isUsSocialSecurityNumber),
    score: 0.95,
  },
  {
    kind: "social security number",
    pattern: /(?<!\d)\d{3}[ .]?\d{2}[ .]?\d{4}(?!\d)/,
    measure: whenValid(isUsSocialSecurityNumber),
    cue: { words: /\b(?:ssn|social security)\b/i, gap: /[\s\S]{0,60}/ },
    score: 0.95,
  },
  {
    kind: "tax number",
    pattern: /(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/,
    measure: whenValid(isBrazilianCpf),
    score: 0.95,
  },
  {
    kind: "tax number",
    pattern: /(?<!\d)\d{2} ?\d{3} ?\d{3} ?\d{3}(?!\d)/,
    measure: whenValid(isGermanTaxId),
    cue: { words: /steuer|tax|idnr/i, gap: /[\s\S]{0,60}/ },
    score: 0.9,
  },
  {
    kind: "identity number",
    pattern: /(?<![A-Za-z\d])(?:[XYZ]\d{7}|\d{8})-?[A-HJ-NP-TV-Z](?![A-Za-z\d])/,
    measure: whenValid((number) => isSpanishIdentityNumber(number) && !compactDate.test(number)),
    score: 0.9,
  },
  {
    kind: "identity number",
    pattern: /(?<![\w.-]|\d )\d{4} \d{4} \d{4}(?![ \w])/,
    measure: whenValid(isAadhaar),
    score: 0.8,
  },
  {
    kind: "identity number",
    pattern: /(?<![\w.+-]|\d )[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?![\w-])/,
    measure: whenValid(isFrenchSocialSecurityNumber),
    score: 0.95,
  },
  ...nationalNumberFormats,
  {
    kind: "health number",
    pattern: /(?<!\d)\d{3}[ -]?\d{3}[ -]?\d{4}(?!\d)/,
    measure: whenValid(isNhsNumber),
    cue: { words: /\bnhs\b/i, gap: /[\s\S]{0,60}/ },
    score: 0.9,
  },
  {
    kind: "insurance number",
    pattern:
      /(?<![A-Za-z\d])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Za-z\d])/,
    score: 0.85,
  },
  {
    kind: "tax number",
    pattern: /(?<![A-Za-z\d])[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z\d])/,
    measure: whenValid(isItalianTaxCode),
    score: 0.95,
  },
  {
    kind: "tax number",
    pattern: /(?<![A-Za-z\d_/+-])[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z](?![A-Za-z\d_/+-])/,
    score: 0.85,
  },
  {
    kind: "e-mail address",
    pattern:
      /(?<![\w.+%-])[\p{L}\d][\p{L}\d._%+'-]{0,63}@(?:[\p{L}\d](?:[\p{L}\d-]{0,61}[\p{L}\d])?\.){1,6}\p{L}{2,24}(?![\p{L}\d-])/u,
    measure: (match) => (notMail.test(match) ? 0 : match.length),
    score: 0.95,
  },
  {
    kind: "phone number",
    pattern: /(?<![\p{L}\d.+:/-]|\d )(?:\+|00)[1-9](?:[ .()-]{0,2}\d){7,16}(?!\d)/u,
    measure: whenValid((digits) => digits.length >= 8 && digits.length <= 17),
    score: 0.85,
  },
  {
    kind: "phone number",
    pattern:
      /(?<![\d.-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[ .-]\d{4}(?!\d)(?:\s?(?:x|ext\.?)\s?\d{1,6})?/,
    score: 0.85,
  },
  {
    kind: "phone number",
    pattern: /(?<![\w.-])\(?\+?\d(?:[ ./()-]{0,2}\d){6,14}(?![\w-])/,
    measure: (match) => (compactDate.test(match) || /^(?:19|20)\d\d-\d\d-\d\d/.test(match) ? 0 : match.length),
    cue: {
      words:
        /(?<!\p{L})(?:(?:tele)?(?:phone|fone?)|(?:tele)?fax|mobile?|mobiel|mob|mobil|cell|call|t[eé]l|telefon\w{0,4}|fon|rappelez|appelez|portable|(?:ruf|bel|app) (?:mich|me|hem|haar|\p{Lu}\p{L}{1,12})(?: even)?|stacjonarny|kom[oó]rka|zadzwo\u0144|cep|sabit hat|zap|whats|fijo|tfno|num[eé]ro|cellul\p{L}{1,4}|mobilnr|mobilnummer|telnr|ring|tel[eé]fono|t[eé]l[eé]phone|handy|whatsapp|m[oó]vil|celular|cellulare|contact number|reach (?:me|us|him|her|them)|text me|txt|gsm|celu?|fono|contacto|volejte|zavolej\p{L}{0,3}|звони\p{L}{0,3}|позвони\p{L}{0,3}|набирай\p{L}{0,2}|дзвон\p{L}{1,3}|(?:мой|мій|mój|mon|mi|mio|meu|my|mein|mijn|mitt) (?:номер|numer|num[eé]?r?o?|número|numero|number|nummer)|számom|hívj\p{L}{0,3}|telefonszám\p{L}{0,3}|når meg|joindre|joignable|erreich\p{L}{1,4}|anruf\p{L}{0,3}|shout|marca|llám\p{L}{1,4}|ligue|dzwoni\p{L}{1,3}|πάρε με|τηλ\p{L}{0,6}|soita\p{L}{0,3}|puh|hubungi|messages? to|answering at|sms|ring)(?:[ _-]?(?:number|no|num|nr|nummer))?(?!\p{L})|電話|电话|手机|手機|携帯|連絡先|휴대폰|핸드폰|연락처|전화|फोन|फ़ोन|मोबाइल|नंबर|телефон|هاتف|جوال|رقمي|رقم (?:ال)?(?:تليفون|موبايل|عم)|اتصل|תתקשר|התקשר|טלפון|เบอร์|điện thoại|sđt/iu,
      gap: /(?::[ \t]{0,3}\r?\n)?[^\n]{0,24}/,
    },
    score: 0.75,
  },
  {
    // Numbers as they are written within a country, whose groups are those of few other numbers.
    kind: "phone number",
    pattern:
      /(?<![A-Za-z\d.,:/+-]|\d )(?:\(0\d{2,5}\) ?\d{3,5}[ -]?\d{2,5}|0[1-9](?:[ .-]\d{2}){4}|0\d{3,4} \d{3} ?\d{3,4}|0\d{3} \d{3} \d{2} \d{2}|07\d[ -]\d{3} \d{2} \d{2}|0[1-9]\d{0,2}-\d{2,4}-\d{4}|01[016-9][ -]\d{3,4}[ -]\d{4}|0?[6-9]\d{4} \d{5}|[1-9]\d 9\d{4}-\d{4})(?![A-Za-z\d/+-])/,
    score: 0.75,
  },
  {
    kind: "passport number",
    pattern: /(?<![A-Za-z\d])(?=[A-Z\d]{0,11}\d)[A-Z\d]{6,12}(?![A-Za-z\d])/,
    cue: { words: /\b(?:passport|reisepass|pasaporte|passeport|passaporto)\b/i, gap: /[^\n]{0,24}/ },
    score: 0.85,
  },
  {
    kind: "license number",
    pattern: /(?<![A-Za-z\d])(?=[A-Z\d][A-Z\d-]{0,18})(?=[A-Z\d-]{0,18}\d)[A-Z\d][A-Z\d-]{4,18}(?![A-Za-z\d])/,
    cue: {
      words:
        /\b(?:driv(?:er'?s?|ing)[ -]?licen[cs]e|führerschein\w*|licencia de conducir|permis de conduire|medical record|mrn|patient id|insurance (?:id|number|policy)|health plan|identity card|id card|personalausweis\w*)\b/i,
      gap: /[^\n]{0,24}/,
    },
    score: 0.8,
  },
  {
    kind: "account number",
    pattern: /(?<![A-Za-z\d])\d(?:[ -]?\d){5,17}(?!\d)/,
    cue: {
      words: /\b(?:account|acct|routing|kontonummer|cuenta|compte|conta|conto|sort code|bank)\b/i,
      gap: /[ \t:.]{0,3}(?:number|no\.?|num|#)?[ \t:.]{0,3}(?:is)?[ \t:.]{0,3}/,
    },
    score: 0.75,
  },
  {
    kind: "date of birth",
    pattern:
      /(?<!\d)(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d{2}|(?:19|20)\d{2}-\d{2}-\d{2}|(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d{2})(?!\d)/i,
    cue: {
      words:
        /\b(?:born(?: on)?|birth(?:day|date)?|date of birth|dob|d\.o\.b\.?|geboren(?: am)?|geburtsdatum|nacid[oa] el|nascimento|naissance|née? le|nat[oa] il)\b/i,
      gap: /[^\n]{0,16}/,
    },
    score: 0.85,
  },
  {
    kind: "postal address",
    pattern:
      /(?<![\w.])\d{1,5}[a-z]? (?:[NSEW]\.? )?(?:[A-Z][\p{L}'.-]{1,20} ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Square|Terrace|Place|Pl|Way|Parkway|Pkwy|Close|Crescent|Circle)\b\.?/u,
    score: 0.75,
  },
  {
    kind: "postal address",
    pattern: /(?<!\p{L})\p{Lu}[\p{L}-]{2,24}(?:straße|strasse|str\.|weg|gasse|allee|platz) \d{1,4}[a-z]?(?!\d)/u,
    score: 0.75,
  },
  {
    kind: "wallet address",
    pattern: /(?<![A-Za-z\d])(?:bc1[02-9ac-hj-np-z]{25,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34})(?![A-Za-z\d])/,
    measure: (match) => (isWalletAddress(match) ? match.length : 0),
    score: 0.95,
  },
  {
    // Addresses of Ethereum have no checksum in lower case, and programs contain those of contracts.
    kind: "wallet address",
    pattern: /(?<![A-Za-z\d])0x[\da-fA-F]{40}(?![A-Za-z\d])/,
    cue: {
      words:
        /\b(?:my|your|his|her|our|their)\b[^\n]{0,40}\b(?:address|wallet|account)\b|\b(?:send|sent|pay|paid|deposit|donate|transfer(?:red)?)\b/i,
      search: /address|wallet|account|send|sent|pay|paid|deposit|donate|transfer/i,
      gap: /[^\n]{0,40}/,
    },
    score: 0.75,
  },
  {
    kind: "network address",
    // IPv4 addresses look like version numbers. A match needs many digits, or must not follow a word such as `version`.
    pattern:
      /(?<![\d.]|\b(?:version|release|firmware|build|chapter|section|rev|ver|v)[ .:]{0,2})(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\d|\.\d)/i,
    measure: (match) =>
      !ownAddress.test(match) && (match.length > "10.0.0.1".length || /^(?:10|192|172)\./.test(match))
        ? match.length
        : 0,
    score: 0.75,
  },
  {
    kind: "network address",
    pattern:
      /(?<![\w:])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:])|(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])/i,
    score: 0.75,
  },
];

/** Formats of data that identifies a person or an account, including contact details. */
export const personalDataFormats: readonly SensitiveFormat[] = formats.map((format) => ({
  ...format,
  category: "personal_data",
  isContact: contactKinds.has(format.kind),
}));
