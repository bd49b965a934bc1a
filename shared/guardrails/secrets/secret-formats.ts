import type { SensitiveFormat } from "../sensitive-pattern.ts";
import { measurePassword, measureStatedPassword, measureToken } from "./looks-secret.ts";
import { ownTokens, structures } from "./own-tokens.ts";
import { vendorTokens } from "./vendor-tokens.ts";

const namePartSource =
  "passw(?:or)?d|passphrase|passwort|kennwort|contraseña|mot de passe|senha|secret|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential|pwd|token";

/**
 * Parts of the names of settings and fields that contain a secret. Matches the long s and the Kelvin sign like s and k, as
 * the flag `u` does, without its cost.
 */
const nameParts = new RegExp(namePartSource.replaceAll("s", "[s\u017f]").replaceAll("k", "[k\u212a]"), "i");

/** Names of settings and fields that contain a secret. */
const names = new RegExp(`(?<![\\p{L}\\d])(?:[\\w.-]{0,40}?(?:${namePartSource})[\\w-]{0,20})`, "iu");

/**
 * Value of an assignment. The lookbehind repeats the separator, although the cue contains it too, to find candidates
 * quickly.
 */
const assignedValue = /(?<=(?:[=:,][ \t]{0,3}|>\s{0,12})["'`]?)[^\s"'`,;<>]{6,2000}/;

/** Value that follows a form of *to be* in a sentence. */
const statedValue = /(?<=(?:is|ist|es|est|é|:)[ \t]{1,3}["'`]?)[^\s"'`,;<>]{6,2000}/i;

/**
 * Separators of Make, Go (with a type), Ruby, PHP, JSON, XML elements and attributes, and setters between a name and its value:
 * `=`, `?=`, `::=`, `.=`, `=>`, `:`.
 */
const separator =
  /["'`]?[\])}]?(?:(?: string)?[ \t]{0,3}(?:[.?+:|]{0,3}={1,3}|=>|->|:)[ \t]{0,3}|>\s{0,12}|(?:["']? +value=|["'`],)[ \t]{0,3})["'`]?/;

/** Formats that are recognized only by the words before them, such as `password=`. */
const announcedFormats: readonly Omit<SensitiveFormat, "category">[] = [
  {
    kind: "secret",
    score: 0.85,
    pattern: assignedValue,
    cue: { words: names, search: nameParts, gap: separator },
    measure: measurePassword,
  },
  {
    kind: "secret",
    score: 0.7,
    pattern: /(?<=(?:[=:,][ \t]{0,3}|>\s{0,12})["'`]?)[A-Za-z0-9+/]{20,}={0,2}(?![\w-])/,
    cue: { words: /(?<![^\W_])[\w.-]{0,40}?(?:key|auth)[\w-]{0,20}/i, search: /key|auth/i, gap: separator },
    measure: (match) => (/\d/.test(match) ? measureToken(match, MIN_KEY_ENTROPY) : 0),
    isRejectedWhole: true,
  },
  {
    kind: "secret",
    score: 0.85,
    pattern: statedValue,
    cue: { words: names, search: nameParts, gap: /["'`]? (?:is|ist|es|est|é)(?: ?:)?[ \t]{1,3}["'`]?/ },
    measure: measureStatedPassword,
  },
  {
    kind: "secret",
    score: 0.9,
    pattern: /(?<=[ \t])(?=[A-Za-z+/_-]{0,199}\d)(?=\d{0,199}[A-Za-z])[A-Za-z0-9+/_-]{24,}={0,2}(?![\w/+-])/,
    cue: { words: /\b(?:secret|password|passphrase|api[ _-]?key|access[ _-]?key|token)/i, gap: /[ \t]{1,3}/ },
  },
  {
    kind: "credentials",
    score: 0.99,
    pattern: /(?<=[ ])[A-Za-z0-9+/._~-]{20,}={0,2}/,
    cue: { words: /\b(?:Basic|Bearer)/i, gap: / / },
  },
  {
    kind: "password",
    score: 0.95,
    pattern: /(?<=:)[^\s"'`]{3,500}/,
    cue: { words: /\b(?:curl|wget)\b/i, gap: /[^\n]{0,120}\s(?:-u|--user)[ =]?["']?[^\s:"']{1,60}:/ },
    measure: (match) => (/^[$<{%]/.test(match) ? 0 : match.length),
  },
];

/** Bits per character that a token of the own table exceeds. Placeholders such as `xoxb-xxxxxxxxxx` have fewer. */
const MIN_ENTROPY = 2;

/** Bits per character of a value after a name such as `maps_key`, which need not be secret. */
const MIN_KEY_ENTROPY = 3.2;

const toToken = (kind: string, minEntropy: number, pattern: RegExp): Omit<SensitiveFormat, "category"> => ({
  kind,
  pattern,
  score: 0.99,
  measure: (match) => measureToken(match, minEntropy),
  isRejectedWhole: true,
});

/** Formats of keys, tokens, passwords and other credentials. */
export const secretFormats: readonly SensitiveFormat[] = [
  ...structures.map(([kind, pattern]) => ({ kind, pattern, score: 0.99 })),
  ...ownTokens.map(([kind, pattern]) => toToken(kind, MIN_ENTROPY, pattern)),
  ...vendorTokens.map(([kind, minEntropy, pattern]) => toToken(kind, minEntropy, pattern)),
  ...announcedFormats,
].map((format) => ({ ...format, category: "secrets" }));
