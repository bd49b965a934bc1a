import { hasTemplate, isWords, readsAsCode } from "./reads-as-code.ts";

/** Matches placeholders that documentation, code and templates contain instead of a secret. */
const placeholderPattern =
  /^(?:[<{([]|\$[\w-]{1,20}\$|your|(?:my|the)[_.-]|test(?!_\w{20})|example|changeme|change_me|placeholder|xxx|\*{3}|\.{3}|process\.|os\.|env\.|null|none|true|false|undefined|string|required|optional|secret|password|passwor[td]|token|redacted|incorrect|correct|invalid|expired|missing|wrong|hidden|stored|encrypted|hashed|https?:|function|await|self\.|this\.|req\.|config\.)/i;

/** Matches masked and abbreviated values: a run of one character, or an ellipsis in the middle. */
const elided = /([xX*#•])\1{3}|(?:\.{3}|…)(?!$)/;

/** Matches letters of scripts in which prose has no spaces, such as a translation. */
const proseScript = /[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]/;

/** Returns the Shannon entropy of a text in bits per character. Words have a lower entropy than random characters. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Minimum length of a number that counts as a secret. Shorter numbers are counts, times and ids. */
const MIN_NUMBER_CHARACTERS = 15;

/** Minimum length of a value of only letters that counts as a secret. Shorter names in code often look random. */
const MIN_LETTERS = 10;

/**
 * Returns true if a value looks like a password or key: several character classes, few repetitions, and not like code.
 */
function looksSecret(value: string): boolean {
  if (placeholderPattern.test(value) || elided.test(value) || proseScript.test(value)) return false;
  const bits = entropy(value);
  if (/^\d+$/.test(value)) return value.length >= MIN_NUMBER_CHARACTERS && bits >= 2.3;
  const classCount = [/[a-z]/, /[A-Z]/, /\d/, /[^\p{L}\d]/u].filter((pattern) => pattern.test(value)).length;
  const isVaried =
    (classCount >= 3 && bits >= 2.3) ||
    (classCount === 2 && bits >= 2.75 && value.length >= (/\P{L}/u.test(value) ? 8 : MIN_LETTERS));
  return isVaried && !readsAsCode(value);
}

/**
 * Matches the start of text after a value: an escape sequence, the next URL parameter, or the end of a Markdown link.
 */
const followingText = /\\[nrt"'\\]|&[\w.-]+=|\]\(/;

/** Matches closing punctuation after a value, including that of bold text. */
const closing = /(?<![.)\]}])[.)\]}]+(?:\*\*|__)?$|(?:\*\*|__)$/;

/** Maximum number of characters of a value that are checked, which keeps the cost of many long values linear. */
const MAX_JUDGED_CHARACTERS = 500;

/**
 * Returns the length of the password or key at the start of a match, without closing punctuation; 0 if it does not look
 * like one.
 */
export function measurePassword(match: string): number {
  const end = match.search(followingText);
  const { length } = (end < 0 ? match : match.slice(0, end)).replace(closing, "");
  return length >= 6 && looksSecret(match.slice(0, Math.min(length, MAX_JUDGED_CHARACTERS))) ? length : 0;
}

/**
 * Returns the length of a password in a sentence, such as `the password is Hunter2!9`; 0 if the value is a plain word.
 */
export const measureStatedPassword = (match: string): number =>
  /[\d!@#$%^&*]/.test(match) ? measurePassword(match) : 0;

/** Matches passwords of examples and of local databases. */
const samplePassword =
  /^(?:pass(?:word|wd|phrase)?|pwd?|secret|token|key|foo(?:bar)?|ba[rz]|test|example|admin|root|guest|some_\w+|user(?:name)?|postgres|mysql|mongo|redis|rabbitmq|x+|\*+)$/i;

/** Matches shell variables, such as `$TOKEN` and `%TOKEN%`. */
const variable = /^[$%]\w+%?$/;

/** Returns true if a password is a placeholder, a variable or a part of a template. */
export const isSample = (password: string): boolean =>
  samplePassword.test(password) ||
  variable.test(password) ||
  placeholderPattern.test(password) ||
  hasTemplate(password);

/** Returns the length of `user:password` in a URL; 0 if the password is a placeholder. */
export function measureLogin(match: string): number {
  const separator = match.indexOf(":");
  // Perl needs a backslash before the `@` that follows.
  const password = match.slice(separator + 1).replace(/\\$/, "");
  return isSample(password) || password === match.slice(0, separator) ? 0 : match.length;
}

/** Returns the length of a password in a command line; 0 if it is a placeholder. */
export const measureLoginPassword = (match: string): number => (isSample(match) ? 0 : match.length);

/**
 * Returns the length of a password that a setting such as `DB_PASSWORD=` has, in which code does not stand; 0 for words,
 * variables, templates and addresses.
 */
export function measureSetting(match: string): number {
  if (isSample(match) || elided.test(match) || /^[/.~$%]|:\/\//.test(match)) return 0;
  const hasSymbol = /[^\p{L}\d_./:,-]/u.test(match);
  return hasSymbol || !isWords(match) ? match.length : 0;
}

/**
 * Matches base64 text, even with line breaks, that ends with `+` or `/`, after which a token pattern finds a word
 * boundary.
 */
const endOfEncoded = /([A-Za-z0-9+/\\\s]{12,100})[+/]$/;

/** Number of first characters of a token whose entropy is measured. Those beyond it may belong to the following text. */
const MAX_MEASURED_CHARACTERS = 64;

/**
 * Returns the length of a token; 0 for words, such as `sk-use-your-own-key-here`, and for too few different characters,
 * such as `xoxb-xxxxxxxxxx`.
 * @param before text before the match. A match within base64 data, such as an image, is no token.
 * @param minEntropy minimum entropy of a token in bits per character, exclusive
 */
export function measureToken(match: string, before: string, minEntropy: number): number {
  const [, encoded] = endOfEncoded.exec(before) ?? [];
  if (encoded !== undefined && !isWords(encoded)) return 0;
  const isPlaceholder = /^(?:[A-Z]?[a-z]|[^A-Za-z\d])*\d{0,2}$/.test(match);
  return !isPlaceholder && !elided.test(match) && entropy(match.slice(0, MAX_MEASURED_CHARACTERS)) > minEntropy
    ? match.length
    : 0;
}

/** Returns the length of a webhook's path; 0 if its last segment, the secret, is a placeholder such as `XXXXXXXX`. */
export const measureWebhook = (match: string): number =>
  measureToken(match.slice(match.lastIndexOf("/", match.length - 2) + 1), "", 2) > 0 ? match.length : 0;
