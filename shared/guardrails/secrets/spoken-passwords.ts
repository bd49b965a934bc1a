import type { SensitiveFormat } from "../sensitive-pattern.ts";
import {
  type Announcement,
  englishPasswordWords,
  findAnnouncement,
  otherPasswordWords,
  passwordWords,
  wholeWords,
} from "./announcing-words.ts";
import { isSample, measureLoginPassword, measurePassword } from "./looks-secret.ts";
import { hasTemplate, isWords } from "./reads-as-code.ts";

/** Matches punctuation after a password in a sentence. */
const closing = /(?<![.,;:!?)\]])[.,;:!?)\]]+$/;

/** Matches numbers, times and dates. */
const numeric = /^[\d.,:/%+-]+$/;

/** Matches values that are no password: paths, addresses, versions, calls and names of files. */
const notPassword =
  /^(?:https?:|www\.|\/|\.{1,2}\/|~\/|v?\d+\.\d)|@[\w-]+\.\w|\w\([^()]{0,100}\)|\.(?:md|txt|json|ya?ml|js|ts|py|php|html?|png|jpe?g|pdf|docx?|xlsx?)$|\/[^/]*\/|[*#xX•]{4}/;

const codeOperator = /\w\(|::|->|=>/;

/** Returns the length of a password in a command or table: letters and digits that are no word with a number; 0 if it is none. */
function measureInCode(match: string): number {
  const value = match.replace(closing, "");
  if (value.length < 7 || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return 0;
  if (numeric.test(value) || notPassword.test(value) || hasTemplate(value) || codeOperator.test(value)) return 0;
  if (isWords(value)) return measurePassword(match);
  // The closing punctuation of a random password is a part of it.
  return /[^\w.,;:)\]]/.test(value) ? match.replace(/(?<![.,;:])[.,;:]+$/, "").length : value.length;
}

/** Matches names of products and standards with a number, which prose mentions next to passwords. */
const numberedName =
  /^(?:\p{L}{1,4}-?\d{1,4}|(?:windows|office|iphone|ipad|galaxy|pixel|android|ios|macos|ubuntu|debian|python|php|mysql|postgresql|java|node|oauth|base|sha|utf|ipv|iso|wpa|usb|rfc|covid)[-_.]?\d[\d.]{0,7}\p{L}?)$/iu;

/** Punctuation that sentences put after a word; the exclamation mark can belong to a password. */
const sentenceEnds: ReadonlySet<string> = new Set(".,;:?)]»”’\"'、。，；：？！）」");

/** Matches where Japanese, Chinese and Korean continue a sentence directly after a value. */
const continuation = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Returns a value of prose without what follows it in its sentence. */
function trimSentence(match: string): string {
  const end = /^[\x21-\x7e]/.test(match) ? match.search(continuation) : -1;
  let length = end === -1 ? match.length : end;
  while (sentenceEnds.has(match.charAt(length - 1))) length--;
  const value = match.slice(0, length).replace(/(?:\*\*|__)$/, "");
  // One exclamation mark after a word ends a sentence; two, or one after a digit, belong to a password.
  return /\p{L}!$/u.test(value) ? value.slice(0, -1) : value;
}

/** Symbols that prose does not put between letters and digits of a word. */
const oddSymbol = /[\p{L}\d!#$%&*+=^~@?§/\\;)][!#$%&*+=^~?§\\;(@][\p{L}\d!#$%&*+=^~@?§/\\;(]|[\p{L}\d][!#$%&*^~§]$/u;

/** Matches placeholders in capitals, such as `TU_CONTRASEÑA`. */
const capitals = /^[\p{Lu}_-]+$/u;

const isRejected = (value: string) =>
  /^[.,:;)\]}-]/.test(value) ||
  capitals.test(value) ||
  isSample(value) ||
  numeric.test(value) ||
  notPassword.test(value) ||
  numberedName.test(value) ||
  /\p{L}{3}\(/u.test(value);

/** Returns true for letters with odd symbols or with an underscore and a digit, as no word of prose has them. */
const isOdd = (value: string) =>
  oddSymbol.test(value) || (/\p{L}_\p{L}|\p{L}_\d|\d_\p{L}/u.test(value) && /\d|\p{Lu}.*\p{Lu}/u.test(value));

/** Returns true for letters and digits in a mixture that is rare in prose, such as `Dacia1310tlx` and `lahmacun3434`. */
const isMixed = (value: string) =>
  /^[\p{L}\d]{8,}$/u.test(value) &&
  /\p{Ll}{3}/u.test(value) &&
  /\d/.test(value) &&
  /\d\d$|\d\p{L}{2}|\p{Ll}\p{Lu}/u.test(value);

/** Matches letters of scripts between which no sentence has Latin letters with digits. */
const otherScript = /[^\P{L}\p{Script=Latin}]/u;

/** Words before a stated password. */
const statingWords = `${wholeWords(`${passwordWords}|${englishPasswordWords}`)}|${otherPasswordWords}`;
const announcing = new RegExp(statingWords, "giu");
const english = new RegExp(`^(?:${englishPasswordWords})$`, "iu");

/** Returns true if prose, and not code or a heading, announces a value with an English word. After `password:`, other formats tell. */
const isProse = ({ word, distance, isLinked, isQuoted, end }: Announcement): boolean =>
  (isQuoted || (isLinked && end !== "-")) && (distance > 0 || /^pwd?$/i.test(word));

/** Returns the length of a password that a sentence states; 0 if it states none. */
function measureStated(match: string, before: string): number {
  const value = trimSentence(match);
  if (value.length < 7 || !/\p{L}/u.test(value) || isRejected(value)) return 0;
  const announcement = findAnnouncement(before, announcing);
  if (!announcement) return 0;
  const { word, isLinked, isQuoted } = announcement;
  if (english.test(word) && !isProse(announcement)) return 0;
  if (isOdd(value)) return isLinked || isQuoted || /[\d\p{Lu}]/u.test(value) ? value.length : 0;
  if (!/\d/.test(value)) return 0;
  if (isMixed(value)) return value.length;
  if (!isLinked && !isQuoted)
    return otherScript.test(before) && /^[\x21-\x7e]{7,}$/.test(value) && /[a-z]{2}/i.test(value) ? value.length : 0;
  return value.length;
}

/** Formats of passwords as people and commands state them. */
export const spokenPasswords: readonly Omit<SensitiveFormat, "category">[] = [
  {
    kind: "password",
    score: 0.85,
    // Letters of scripts without spaces can stand before it.
    pattern:
      /(?<![\d!#$%&*+@^_~-]|[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[^\s"'`„“”‘«»「」『』<>|，。；：！？（）、]{7,100}/u,
    cue: { words: new RegExp(statingWords, "iu"), gap: /[^\n]{1,80}/ },
    measure: measureStated,
  },
  {
    kind: "password",
    score: 0.8,
    pattern: /(?<=[ \t"'`/])[!#-&(-.0-_a-~]{8,100}/,
    cue: {
      words: /\b(?:password|passwd|pass|pw|pwd|admin|root|login)\b/i,
      search: /passw|\bpass\b|\bpw|admin|root|login/i,
      gap: /(?: ?\/ ?|[ \t]{1,2})["'`]?/,
    },
    measure: measureInCode,
  },
  {
    kind: "password",
    score: 0.9,
    pattern: /(?<=[\sawpP:%=])["']?[!#-&(-~\u00a1-\u024f]{6,100}/,
    cue: {
      words:
        /\b(?:mysql(?:dump|admin)?|mariadb|sshpass|redis-cli|ldap(?:search|add|modify|passwd)|mongo(?:sh|dump)?|sqlcmd|smbclient|xfreerdp|plink|pscp|identified by|requirepass|masterauth)\b/i,
      gap: /(?:[^\n]{0,120}\s(?:-[pawP]|\/p:|-U ['"]?[\w.-]{1,30}%)[ =]?|[ \t]{1,3})/,
    },
    measure: (match) =>
      /\d/.test(match) && /[A-Za-z]/.test(match) && !notPassword.test(match) ? measureLoginPassword(match) : 0,
  },
  {
    kind: "password",
    score: 0.9,
    pattern: /(?<= )[!-.0-~]{6,100}/,
    cue: { words: /\bnet (?:use [A-Za-z*]:? \\\\[^\s"]{1,80}|user [\w.-]{1,30})/i, gap: /[ ]/ },
    measure: measureLoginPassword,
  },
  {
    kind: "password",
    score: 0.85,
    pattern: /(?<=\| {0,3}`?)[!-_a-{}~]{8,64}(?=`? {0,3}\|)/,
    cue: {
      words:
        /\| {0,8}(?:password|passwd|passwort|kennwort|pw|pass|contraseña|clave|senha|mot de passe|mdp|wachtwoord|hasło|heslo|lösenord|jelszó|parolă|şifre|пароль|κωδικός|mật khẩu|kata sandi|密码|パスワード|비밀번호) {0,8}\|/i,
      search: /\| {0,8}[\p{L}]/u,
      gap: /[^\n]{0,60}\r?\n {0,3}\|[-:| ]{3,80}\r?\n(?:[^\n]{0,100}\n)?[^\n]{0,80}/,
    },
    measure: measureInCode,
  },
  {
    kind: "password",
    score: 0.9,
    pattern: /(?<=[:=] {0,3}["']?)[^\s"'`]{6,200}/,
    cue: {
      words: /(?:password|passwd|secret|_pass|_token|api_?key)\b/i,
      gap: /["']?(?:\s{0,3}\n\s{1,12}value: {1,3}|\s{0,3}\{\s{0,12}(?:[^\n}]{0,80}\n\s{0,12}){0,3}default {0,3}= {0,3})["']?/,
    },
    measure: measurePassword,
  },
  {
    kind: "seed phrase",
    score: 0.95,
    pattern: /(?<![a-z])(?:1\. ?)?[a-z]{3,8}(?:(?:,? |\s{1,2}\d{1,2}[.)] ?|,?\n)[a-z]{3,8}){11,23}(?![a-z])/,
    cue: {
      words:
        /(?:seed|recovery|backup|mnemonic|secret recovery)[ -]?(?:phrase|words)|mnemonic|\b(?:12|24) (?:words|wörter|palabras|mots|parole|palavras)|frase (?:semilla|de recuperaci[oó]n|di recupero|de recuperação)|wiederherstellungsphrase|phrase (?:de récupération|secrète)|복구 문구|シードフレーズ|助记词|助記詞|сид[- ]фраз|мнемони/iu,
      gap: /[^\n]{0,40}\s{0,3}(?:\n\s{0,3})?/,
    },
    measure: (match) =>
      /(?<![a-z])(?:the|and|you|that|with|this|for|are|not|have|your|from)(?![a-z])/.test(match) ? 0 : match.length,
  },
];
