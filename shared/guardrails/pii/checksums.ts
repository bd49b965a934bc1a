/** Check digits of numbers that name people and accounts. Each takes the number without spaces and hyphens. */

const digitsOf = (text: string) => Array.from(text, Number);

/** ISO/IEC 7812: card numbers. */
export function luhn(digits: string): boolean {
  const sum = digitsOf(digits)
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

/** ISO 13616: length by country, remainder 1 by 97. */
export function iban(number: string): boolean {
  if (ibanLengths[number.slice(0, 2)] !== number.length) return false;
  let remainder = 0;
  for (const char of number.slice(4) + number.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** US social security numbers as they are issued: no area 000, 666 or from 900 on, no group 00, no serial 0000. */
export function socialSecurity(digits: string): boolean {
  return !/^(?:000|666|9)|^...00|0000$/.test(digits) && !["078051120", "219099999", "123456789"].includes(digits);
}

function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0);
}

/** UK NHS number: modulus 11. */
export function nhs(digits: string): boolean {
  const check = 11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return (check === 11 ? 0 : check) === Number(digits[9]);
}

/** Brazilian CPF: two check digits. */
export function cpf(digits: string): boolean {
  if (/^(\d)\1+$/.test(digits)) return false;
  const check = (length: number) => {
    const sum = digitsOf(digits.slice(0, length)).reduce((total, digit, at) => total + digit * (length + 1 - at), 0);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

/** Spanish DNI or NIE: the letter is the remainder by 23. */
export function dni(number: string): boolean {
  const digits = number.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Number(digits) % 23] === number.at(-1);
}

/** German tax id: one digit twice or thrice among the first ten, ISO 7064 MOD 11,10. */
export function steuerId(digits: string): boolean {
  if (digits[0] === "0" || new Set(digits.slice(0, 10)).size > 9) return false;
  let product = 10;
  for (const digit of digitsOf(digits.slice(0, 10))) {
    const sum = (digit + product) % 10 || 10;
    product = (2 * sum) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

const verhoeffProduct = [
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
];
const verhoeffShift = [
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
];

/** Indian Aadhaar: Verhoeff's scheme. */
export function aadhaar(digits: string): boolean {
  const check = digitsOf(digits)
    .reverse()
    .reduce((sum, digit, at) => Number(verhoeffProduct[sum]?.[Number(verhoeffShift[at % 8]?.[digit])]), 0);
  return check === 0 && !/^[01]/.test(digits);
}

/** French social security number: the key is 97 less the remainder by 97. */
export function insee(number: string): boolean {
  const body = number.slice(0, 13).replace("2A", "19").replace("2B", "18");
  return 97n - (BigInt(body) % 97n) === BigInt(number.slice(13));
}
