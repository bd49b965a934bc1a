/** Placeholders that documentation, code and templates contain instead of a secret. */
const placeholderPattern =
  /^(?:[<{$%([]|your|my|the|test(?!_\w{20})|example|changeme|change_me|placeholder|xxx|\*{3}|\.{3}|process\.|os\.|env\.|null|none|true|false|undefined|string|required|optional|secret|password|passwor[td]|token|redacted|incorrect|correct|invalid|expired|missing|wrong|hidden|stored|encrypted|hashed|https?:|function|await|self\.|this\.|req\.|config\.|get)/i;

/** Returns the Shannon entropy of a text in bits per character. Words have a lower entropy than random characters. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Returns true if a value looks like a password or key: several character classes, few repetitions. */
function looksSecret(value: string): boolean {
  // `password: v.pipe(…)` is code, not a password.
  if (placeholderPattern.test(value) || /^[\w$.]+(?:\(|:[[{])/.test(value)) return false;
  const classCount = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((pattern) => pattern.test(value)).length;
  const bits = entropy(value);
  return (
    (classCount >= 3 && bits >= 2.3) ||
    (classCount === 2 && /\d|[^A-Za-z0-9]/.test(value) && bits >= 2.75 && value.length >= 8)
  );
}

/**
 * Returns the length of the password or key at the start of a match, without closing punctuation; 0 if there is none.
 */
export function measurePassword(match: string): number {
  const { length } = match.replace(/[.)\]}]+$/, "");
  return length >= 6 && looksSecret(match.slice(0, length)) ? length : 0;
}

/**
 * Measures a password that a sentence states, such as `the password is Hunter2!9`. A value that is a plain word does
 * not count.
 */
export const measureStatedPassword = (match: string): number =>
  /[\d!@#$%^&*]/.test(match) ? measurePassword(match) : 0;

/** Length of the part of a token whose entropy counts: what follows directly may belong to the text. */
const MAX_MEASURED_CHARACTERS = 64;

/**
 * Returns the length of a token, or 0 if it consists of words, such as `sk-use-your-own-key-here`, or has too few different
 * characters, such as `xoxb-xxxxxxxxxx`.
 * @param minEntropy bits per character that a token exceeds
 */
export function measureToken(match: string, minEntropy: number): number {
  const isWords = /^(?:[A-Z]?[a-z]|[^A-Za-z\d])*\d{0,2}$/.test(match);
  return !isWords && entropy(match.slice(0, MAX_MEASURED_CHARACTERS)) > minEntropy ? match.length : 0;
}
