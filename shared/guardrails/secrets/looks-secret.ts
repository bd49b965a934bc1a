import { hasTemplate, isWords, readsAsCode } from "./reads-as-code.ts";

/** Placeholders that documentation, code and templates contain instead of a secret. */
const placeholderPattern =
  /^(?:[<{([]|\$[\w-]{1,20}\$|your|(?:my|the)[_.-]|test(?!_\w{20})|example|changeme|change_me|placeholder|xxx|\*{3}|\.{3}|process\.|os\.|env\.|null|none|true|false|undefined|string|required|optional|secret|password|passwor[td]|token|redacted|incorrect|correct|invalid|expired|missing|wrong|hidden|stored|encrypted|hashed|https?:|function|await|self\.|this\.|req\.|config\.)/i;

/** Masked and elided values: a run of one character, and an ellipsis before further text. */
const elided = /([xX*#•])\1{3}|(?:\.{3}|…)(?!$)/;

/** Returns the Shannon entropy of a text in bits per character. Words have a lower entropy than random characters. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Minimum length of a number that counts as a secret. Shorter ones are counts, times and ids. */
const MIN_NUMBER_CHARACTERS = 15;

/** Minimum length of a password of letters. Names of code that are shorter look random more often. */
const MIN_LETTERS = 10;

/** Returns true if a value looks like a password or key: several character classes, few repetitions, and no code. */
function looksSecret(value: string): boolean {
  if (placeholderPattern.test(value) || elided.test(value)) return false;
  const bits = entropy(value);
  if (/^\d+$/.test(value)) return value.length >= MIN_NUMBER_CHARACTERS && bits >= 2.3;
  const classCount = [/[a-z]/, /[A-Z]/, /\d/, /[^\p{L}\d]/u].filter((pattern) => pattern.test(value)).length;
  const isVaried =
    (classCount >= 3 && bits >= 2.3) ||
    (classCount === 2 && bits >= 2.75 && value.length >= (/\P{L}/u.test(value) ? 8 : MIN_LETTERS));
  return isVaried && !readsAsCode(value);
}

/** Start of what follows a value: an escape in a quoted text, the next parameter of an address, the end of a link. */
const followingText = /\\[nrt"'\\]|&[\w.-]+=|\]\(/;

/** Closing punctuation after a value, also that of bold text. */
const closing = /(?<![.)\]}])[.)\]}]+(?:\*\*|__)?$|(?:\*\*|__)$/;

/** Number of characters of a value that decide whether it is code, which keeps the cost of many long values linear. */
const MAX_JUDGED_CHARACTERS = 500;

/**
 * Returns the length of the password or key at the start of a match, without closing punctuation; 0 if there is none.
 */
export function measurePassword(match: string): number {
  const end = match.search(followingText);
  const { length } = (end < 0 ? match : match.slice(0, end)).replace(closing, "");
  return length >= 6 && looksSecret(match.slice(0, Math.min(length, MAX_JUDGED_CHARACTERS))) ? length : 0;
}

/**
 * Measures a password that a sentence states, such as `the password is Hunter2!9`. A value that is a plain word does
 * not count.
 */
export const measureStatedPassword = (match: string): number =>
  /[\d!@#$%^&*]/.test(match) ? measurePassword(match) : 0;

/** Passwords of examples and of databases on the own machine. */
const samplePassword =
  /^(?:pass(?:word|wd|phrase)?|pwd?|secret|token|key|foo(?:bar)?|ba[rz]|test|example|admin|root|guest|some_\w+|user(?:name)?|postgres|mysql|mongo|redis|rabbitmq|x+|\*+)$/i;

/** Variables of shells, such as `$TOKEN` and `%TOKEN%`. */
const variable = /^[$%]\w+%?$/;

/** Returns true if the password of a login is a placeholder or a part of a template. */
const isSample = (password: string) =>
  samplePassword.test(password) ||
  variable.test(password) ||
  placeholderPattern.test(password) ||
  hasTemplate(password);

/** Returns the length of a user and password in an address, or 0 if the password is a placeholder. */
export function measureLogin(match: string): number {
  const separator = match.indexOf(":");
  // Perl needs a backslash before the `@` that follows.
  const password = match.slice(separator + 1).replace(/\\$/, "");
  return isSample(password) || password === match.slice(0, separator) ? 0 : match.length;
}

/** Returns the length of a password on a command line, or 0 if it is a placeholder. */
export const measureLoginPassword = (match: string): number => (isSample(match) ? 0 : match.length);

/** Text in base64, also in several lines, that ends with a character after which a word can start. */
const endOfEncoded = /([A-Za-z0-9+/\\\s]{12,100})[+/]$/;

/** Length of the part of a token whose entropy counts: what follows directly may belong to the text. */
const MAX_MEASURED_CHARACTERS = 64;

/**
 * Returns the length of a token, or 0 if it consists of words, such as `sk-use-your-own-key-here`, or has too few different
 * characters, such as `xoxb-xxxxxxxxxx`.
 * @param before text before the token. A match in the middle of a picture in base64 is no token
 * @param minEntropy bits per character that a token exceeds
 */
export function measureToken(match: string, before: string, minEntropy: number): number {
  const [, encoded] = endOfEncoded.exec(before) ?? [];
  if (encoded !== undefined && !isWords(encoded)) return 0;
  const isPlaceholder = /^(?:[A-Z]?[a-z]|[^A-Za-z\d])*\d{0,2}$/.test(match);
  return !isPlaceholder && !elided.test(match) && entropy(match.slice(0, MAX_MEASURED_CHARACTERS)) > minEntropy
    ? match.length
    : 0;
}

/** Returns the length of the path of a webhook, or 0 if its last part, the secret, is a placeholder such as `XXXXXXXX`. */
export const measureWebhook = (match: string): number =>
  measureToken(match.slice(match.lastIndexOf("/", match.length - 2) + 1), "", 2) > 0 ? match.length : 0;
