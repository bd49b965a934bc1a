import type { SensitiveFormat } from "../sensitive-pattern.ts";
import {
  measureLoginPassword,
  measurePassword,
  measureSetting,
  measureStatedPassword,
  measureToken,
} from "./looks-secret.ts";
import { ownTokens, structures } from "./own-tokens.ts";
import { readsAsCode } from "./reads-as-code.ts";
import { spokenCodes } from "./spoken-codes.ts";
import { spokenPasswords } from "./spoken-passwords.ts";
import { vendorTokens } from "./vendor-tokens.ts";

const namePartSource =
  "passw(?:or)?d|passphrase|passwort|kennwort|contraseña|mot de passe|senha|secret|api[ _-]?key|access[ _-]?key|private[ _-]?key|credentials?|creds|pwd|(?<![A-Za-z])p(?:ass|w)|token";

/**
 * Matches names of secrets quickly. Like the flag `u`, it treats the long s (ſ) and the Kelvin sign (K) as `s` and `k`,
 * but without its cost.
 */
const nameParts = new RegExp(namePartSource.replaceAll("s", "[s\u017f]").replaceAll("k", "[k\u212a]"), "i");

/**
 * Source for the end of a setting's name after a word such as `token`. The word must be whole: `token_prod` and
 * `tokenValue` match, `tokens` and `tokenizer` do not. Names of values that are not secret are excluded: `token_url`,
 * `secretName`, `password_file`.
 */
const nameEnd =
  "(?:(?!\\p{L})|(?-i:(?<=\\p{Ll})(?=\\p{Lu})))[\\w-]{0,20}(?<!name|file|path|url|uri|type|[_-]ids?|(?-i:I[dD]s?)|count|address|version|hash|digest|checksum|fingerprint|[_-]at|(?-i:At)|expiry|expires|date|time|arn)";

/** Matches names of settings and fields that contain a secret. */
const names = new RegExp(`(?<![\\p{L}\\d])(?:[\\w.-]{0,40}?(?:${namePartSource}))${nameEnd}`, "iu");

/**
 * Matches names of settings and fields that may contain a secret, such as `maps_key`. A bare `key` is excluded, because
 * it is usually the key of a cache or an entry.
 */
const keyNames =
  /(?<![\p{L}\d])(?:[\w.-]{0,40}?[\p{L}\d](?:[ _.-]{1,2}|(?-i:(?<=\p{Ll})(?=K)|(?<=\p{Lu})(?=KEY)))(?<!public[ _-]?|gpg[ _-]?|pgp[ _-]?|pub[_-]?|cache[_-]?|ssh[_-]?|host[_-]?|primary[_-]?|partition[_-]?|websocket[_-]?)key|[\w.-]{0,40}?auth)(?![\p{L}\d_-])/iu;

/**
 * Matches the value of an assignment. Its lookbehind repeats the separator, which the cue also contains, because this
 * finds candidates faster.
 */
const assignedValue = /(?<=(?:[=:,][ \t]{0,3}|>\s{0,12})["'`]?)[^\s"'`,;<>]{6,2000}/;

/** Matches a value after a form of *to be* in a sentence. */
const statedValue = /(?<=(?:is|ist|es|est|é|:)[ \t]{1,3}["'`]?)[^\s"'`,;<>]{6,2000}/i;

/**
 * Matches the characters between a name and its value in Make, Go (with a type), Ruby, PHP, JSON, XML elements and
 * attributes, and setters: `=`, `?=`, `::=`, `.=`, `=>`, `:`.
 */
const separator =
  /["'`]?[\])}]?(?:(?: string)?[ \t]{0,3}(?:[.?+:|]{0,3}={1,3}|=>|->|:)[ \t]{0,3}|>\s{0,12}|(?:["']? {1,20}value=|["'`],)[ \t]{0,3})["'`]?/;

const settingWords =
  "pass(?:word|wd|wort)?|pwd|pw|secret|token|sifre|parola?|jelszo|losen|heslo|haslo|senha|clave|contrasena|kennwort|mdp";

/**
 * Matches names of settings in capitals, and properties at the start of a line such as `db.password`. Their values are passwords
 * with any symbols, and no code.
 */
const settingNames = new RegExp(
  `(?<![\\w.$-])[A-Z][A-Z0-9_]{0,40}?(?:${settingWords.toUpperCase()})[A-Z0-9_]{0,8}|(?<![^\\n])(?!this|self|exports|module|props|window|process)[a-z][\\w-]{0,30}\\.(?:[\\w-]{1,30}\\.){0,4}[\\w-]{0,30}?(?:${settingWords})`,
);

const measureUnlessCode = (match: string) => (readsAsCode(match) ? 0 : match.length);

/** Formats that are recognized only by words before them, such as `password=`. */
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
    cue: { words: keyNames, search: /key|auth/i, gap: separator },
    measure: (match) => (/\d/.test(match) && !readsAsCode(match) ? measureToken(match, "", MIN_KEY_ENTROPY) : 0),
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
    cue: { words: /(?:\b|_)(?:secret|password|passphrase|api[ _-]?key|access[ _-]?key|token)/i, gap: /[ \t]{1,3}/ },
    measure: measureUnlessCode,
  },
  {
    kind: "password",
    score: 0.9,
    pattern: /(?<==["']?)[^\s"']{6,100}/,
    cue: {
      words: settingNames,
      search: /pass|pwd|pw=|secret|token|sifre|parol|jelszo|losen|heslo|haslo|senha|clave|contrasena|kennwort|mdp/i,
      gap: /=["']?/,
    },
    measure: measureSetting,
  },
  {
    kind: "session",
    score: 0.9,
    pattern: /(?<=[=:] ?)[\w%.~+/-]{16,300}/,
    cue: {
      words: /\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|laravel_session|session_?id|_session)/i,
      search: /sess|connect\.sid/i,
      gap: /=|: ?/,
    },
    measure: (match) => (/\d/.test(match) ? measureToken(match, "", 3) : 0),
  },
  {
    kind: "credentials",
    score: 0.99,
    pattern: /(?<=[ ])[A-Za-z0-9+/._~-]{20,}={0,2}/,
    cue: { words: /\b(?:Basic|Bearer)/i, gap: / / },
    measure: measureUnlessCode,
  },
  {
    kind: "password",
    score: 0.95,
    pattern: /(?<=:["']?)[^\s"'`]{3,500}/,
    cue: {
      words: /\b(?:curl|wget)\b/i,
      gap: /(?:[^\n]|(?<=\\)\n){0,120}\s(?:-u|--user)[ =]{0,3}["']?[^\s:"']{0,60}:["']?/,
    },
    measure: measureLoginPassword,
  },
];

/**
 * Minimum entropy of a token in `ownTokens`, in bits per character. Placeholders such as `xoxb-xxxxxxxxxx` have less.
 */
const MIN_ENTROPY = 2;

/**
 * Minimum entropy of a value after a name such as `maps_key`, in bits per character. It is higher, because such a value
 * need not be secret.
 */
const MIN_KEY_ENTROPY = 3.2;

const toToken = (kind: string, minEntropy: number, pattern: RegExp): Omit<SensitiveFormat, "category"> => ({
  kind,
  pattern,
  score: 0.99,
  measure: (match, before) => measureToken(match, before, minEntropy),
  isRejectedWhole: true,
});

/** Formats of keys, tokens, passwords and other credentials. */
export const secretFormats: readonly SensitiveFormat[] = [
  ...structures.map((format) => ({ ...format, score: 0.99 })),
  ...ownTokens.map(([kind, pattern]) => toToken(kind, MIN_ENTROPY, pattern)),
  ...vendorTokens.map(([kind, minEntropy, pattern]) => toToken(kind, minEntropy, pattern)),
  ...announcedFormats,
  ...spokenPasswords,
  ...spokenCodes,
].map((format) => ({ ...format, category: "secrets" }));
