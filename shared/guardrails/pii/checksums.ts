import * as brazilianCpf from "stdnum/lib/cjs/br/cpf.js";
import * as germanTaxId from "stdnum/lib/cjs/de/idnr.js";
import * as spanishDni from "stdnum/lib/cjs/es/dni.js";
import * as spanishNie from "stdnum/lib/cjs/es/nie.js";
import * as frenchNir from "stdnum/lib/cjs/fr/nir.js";
import * as indianAadhaar from "stdnum/lib/cjs/in/aadhaar.js";
import * as usSocialSecurity from "stdnum/lib/cjs/us/ssn.js";

/**
 * Validators for numbers that identify people and accounts. Each takes the number without spaces and hyphens.
 * National numbers are validated by stdnum; it has no validator for NHS numbers, and it is imported by file because its
 * index pulls in every country (206 KB).
 */
interface NumberFormat {
  validate(value: string): { readonly isValid: boolean };
}

const validator = (format: NumberFormat) => (value: string) => format.validate(value).isValid;

/** Validates a card number by its check digit (ISO/IEC 7812, Luhn). */
export function isLuhnValid(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .reverse()
    .reduce((total, digit, at) => total + (at % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit), 0);
  return sum % 10 === 0;
}

const ibanLengths: Readonly<Record<string, number>> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
   FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
   LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24
   RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Returns the length of a country's IBANs. */
export const ibanLengthOf = (country: string): number | undefined => ibanLengths[country];

/** Validates an IBAN by its country's length and the remainder 1 modulo 97 (ISO 13616). */
export function isIban(number: string): boolean {
  if (ibanLengths[number.slice(0, 2)] !== number.length) return false;
  let remainder = 0;
  for (const char of number.slice(4) + number.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** Validates a US social security number; stdnum accepts the serial 0000, which is never issued. */
export const isUsSocialSecurityNumber = (digits: string) =>
  usSocialSecurity.validate(digits).isValid && !digits.endsWith("0000");

/** Validates a UK NHS number (modulus 11). */
export function isNhsNumber(digits: string): boolean {
  const sum = [10, 9, 8, 7, 6, 5, 4, 3, 2].reduce((total, weight, at) => total + weight * Number(digits[at]), 0);
  const check = 11 - (sum % 11);
  return (check === 11 ? 0 : check) === Number(digits[9]);
}

/** Validates a Brazilian CPF. */
export const isBrazilianCpf = validator(brazilianCpf);

/** Validates a Spanish DNI, or the NIE of a foreign resident. */
export const isSpanishIdentityNumber = (number: string) =>
  (/^[XYZ]/.test(number) ? spanishNie : spanishDni).validate(number).isValid;

/** Validates a German tax identification number. */
export const isGermanTaxId = validator(germanTaxId);

/** Validates an Indian Aadhaar number. */
export const isAadhaar = validator(indianAadhaar);

/** Validates a French social security number. */
export const isFrenchSocialSecurityNumber = validator(frenchNir);
