import * as brazilianCpf from "stdnum/lib/cjs/br/cpf.js";
import * as germanTaxId from "stdnum/lib/cjs/de/idnr.js";
import * as spanishDni from "stdnum/lib/cjs/es/dni.js";
import * as spanishNie from "stdnum/lib/cjs/es/nie.js";
import * as frenchNir from "stdnum/lib/cjs/fr/nir.js";
import * as indianAadhaar from "stdnum/lib/cjs/in/aadhaar.js";
import * as italianTaxCode from "stdnum/lib/cjs/it/codicefiscale.js";
import * as koreanRrn from "stdnum/lib/cjs/kr/rrn.js";
import * as dutchBsn from "stdnum/lib/cjs/nl/bsn.js";
import * as polishPesel from "stdnum/lib/cjs/pl/pesel.js";
import * as swedishPersonnummer from "stdnum/lib/cjs/se/personnummer.js";
import * as turkishTckn from "stdnum/lib/cjs/tr/tckimlik.js";
import * as usSocialSecurity from "stdnum/lib/cjs/us/ssn.js";

/**
 * Validator of `stdnum` for one kind of number, without spaces and hyphens. `stdnum` is imported by file, because its
 * index pulls in every country (206 KB). It has no validator for NHS numbers.
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

/**
 * Structures of IBANs without the check digits by country, in the notation of the IBAN registry (ISO 13616): digits
 * (`n`), letters (`a`) and both (`c`).
 */
const ibanStructures = new Map(
  `AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BI23n BR23n1a1c BY4c4n16c CH5n12c CR18n CY8n16c
   CZ20n DE18n DJ23n DK14n DO4c20n EE16n EG25n ES20n FI14n FK2a12n FO14n FR10n11c2n GB4a14n GE2a16n GI4a15c GL14n
   GR7n16c GT24c HN4a20n HR17n HU24n IE4a14n IL19n IQ4a15n IS22n IT1a10n12c JO4a4n18c KW4a22c KZ3n13c LB4n20c LC4a24c
   LI5n12c LT16n LU3n13c LV4a13c LY21n MC10n11c2n MD20c ME18n MK3n10c2n MN16n MR23n MT4a5n18c MU4a19n3a NI4a20n NL4a10n
   NO11n OM3n16c PK4a16c PL24n PS4a21c PT21n QA4a21c RO4a16c RS18n RU14n15c SA2n18c SC4a20n3a SD14n SE20n SI15n SK20n
   SM1a10n12c SO19n ST21n SV4a20n TL19n TN20n TR6n16c UA6n19c VA18n VG4a16n XK16n YE4a4n18c`
    .split(/\s+/)
    .map((entry) => {
      const parts = Array.from(entry.slice(2).matchAll(/(\d+)([nac])/g), ([, count, type]) => ({
        count: Number(count),
        type,
      }));
      const classes: Readonly<Record<string, string>> = { n: "\\d", a: "[A-Z]", c: "[A-Z\\d]" };
      const source = parts.map(({ count, type = "" }) => `${classes[type]}{${count}}`).join("");
      const length = 4 + parts.reduce((sum, { count }) => sum + count, 0);
      return [entry.slice(0, 2), { length, pattern: new RegExp(`^..\\d\\d${source}$`) }] as const;
    }),
);

/** Returns the length of a country's IBANs; undefined for a country without IBANs. */
export const ibanLengthOf = (country: string): number | undefined => ibanStructures.get(country)?.length;

/** Validates an IBAN by its country's structure and the remainder 1 modulo 97 (ISO 13616). */
export function isIban(number: string): boolean {
  if (!ibanStructures.get(number.slice(0, 2))?.pattern.test(number)) return false;
  let remainder = 0;
  for (const char of number.slice(4) + number.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/**
 * Validates a US social security number. It rejects the serial number 0000, which is never issued but which `stdnum`
 * accepts.
 */
export const isUsSocialSecurityNumber = (digits: string) =>
  usSocialSecurity.validate(digits).isValid && !digits.endsWith("0000");

/** Validates the check digit of a UK NHS number (modulus 11). */
export function isNhsNumber(digits: string): boolean {
  const sum = [10, 9, 8, 7, 6, 5, 4, 3, 2].reduce((total, weight, at) => total + weight * Number(digits[at]), 0);
  const check = 11 - (sum % 11);
  return (check === 11 ? 0 : check) === Number(digits[9]);
}

export const isBrazilianCpf = validator(brazilianCpf);

/** Validates a Spanish DNI, or a NIE, the number of foreign residents. */
export const isSpanishIdentityNumber = (number: string) =>
  (/^[XYZ]/.test(number) ? spanishNie : spanishDni).validate(number).isValid;

export const isGermanTaxId = validator(germanTaxId);

/** Validates an Indian Aadhaar number. */
export const isAadhaar = validator(indianAadhaar);

export const isFrenchSocialSecurityNumber = validator(frenchNir);

/** Validates an Italian codice fiscale. */
export const isItalianTaxCode = validator(italianTaxCode);

/** Validates a Dutch citizen service number. */
export const isDutchBsn = validator(dutchBsn);

/** Validates a Korean resident registration number. */
export const isKoreanRrn = validator(koreanRrn);

/** Validates a Polish PESEL number. */
export const isPolishPesel = validator(polishPesel);

/** Validates a Swedish personal identity number. `stdnum` requires its hyphen. */
export const isSwedishPersonnummer = (number: string) =>
  swedishPersonnummer.validate(number.replace(/^(?:19|20)?(\d{6})(\d{4})$/, "$1-$2")).isValid;

/** Validates a Turkish identity number. */
export const isTurkishTckn = validator(turkishTckn);

/** Validates the check digit of a Japanese Individual Number ("My Number"), for which `stdnum` has no validator. */
export function isJapaneseMyNumber(digits: string): boolean {
  const weights = [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2];
  const remainder = weights.reduce((total, weight, at) => total + weight * Number(digits[at]), 0) % 11;
  return (remainder <= 1 ? 0 : 11 - remainder) === Number(digits[11]);
}
