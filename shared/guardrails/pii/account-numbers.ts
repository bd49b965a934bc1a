import { ibanLengthOf, isIban, isLuhnValid } from "./checksums.ts";
import { isTestNumber } from "./test-numbers.ts";

/**
 * Matches card numbers by prefix and length (ISO/IEC 7812). Numbers of Maestro cards, which may have 12 digits, have
 * their own expression.
 */
const cardNumber =
  /^(?:3[47]\d{13}|4\d{12}(?:\d{3})?|(?:5[1-5]|2[2-7]|35)\d{14}|3(?:[689]\d|0[0-59])\d{11}|6(?:011|4[4-9]|5\d)\d{12,13}|62\d{14,17}|(?:1800|2131)\d{11})$/;
const maestroNumber = /^(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}$/;

const isCardNumber = (digits: string) =>
  (maestroNumber.test(digits) || cardNumber.test(digits)) &&
  isLuhnValid(digits) &&
  !isTestNumber(digits) &&
  !/^(\d)\1+$|0{10}$/.test(digits);

/** Digit groups of a card number. Numbers in other groups are rows of numbers, such as `64 100 104 108 112 116`. */
const cardGroups = /^(?:\d{12,19}|\d{4}([ -])\d{4}\1\d{4}(?:\1\d{4}(?:\1\d{1,3})?)?|\d{4}([ -])\d{6}\2\d{4,5})$/;

/** Usual digit groups of a card number, followed by another number. */
const groupedCardNumber = /^(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{5})(?=[ -])|^\d{12,19}(?=[ -])/;

/**
 * Returns the length of the valid card number at the start of a match; 0 if there is none. Another number, such as an
 * expiration date, may follow it.
 */
export function measureCardNumber(match: string): number {
  const isValid = (number: string) => cardGroups.test(number) && isCardNumber(number.replace(/[ -]/g, ""));
  if (isValid(match)) return match.length;
  const start = groupedCardNumber.exec(match)?.[0] ?? "";
  return start !== "" && isValid(start) ? start.length : 0;
}

/** Returns the length of the valid IBAN at the start of a match; 0 if there is none. It depends on the country. */
export function measureIban(match: string): number {
  const compact = match.replace(/[ -]/g, "").toUpperCase();
  const length = ibanLengthOf(compact.slice(0, 2));
  if (length === undefined || !isIban(compact.slice(0, length))) return 0;
  if (isTestNumber(compact.slice(0, length))) return 0;
  let count = 0;
  for (let index = 0; index < match.length; index++) {
    if (!/[ -]/.test(match[index] ?? "") && ++count === length) return index + 1;
  }
  return 0;
}
