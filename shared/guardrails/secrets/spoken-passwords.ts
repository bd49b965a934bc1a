import type { SensitiveFormat } from "../sensitive-pattern.ts";
import { measureLoginPassword, measurePassword } from "./looks-secret.ts";
import { hasTemplate, isWords } from "./reads-as-code.ts";

/** Matches punctuation after a password in a sentence. */
const closing = /(?<![.,;:!?)\]])[.,;:!?)\]]+$/;

/** Matches values that are no password: paths, addresses, versions, numbers, dates, calls and names of files. */
const notPassword =
  /^(?:[\d.,:/%+-]+|https?:|www\.|\/|\.{1,2}\/|~\/|v?\d+\.\d)|@[\w-]+\.\w|\w\([^()]{0,100}\)|\.(?:md|txt|json|ya?ml|js|ts|py|php|html?|png|jpe?g|pdf|docx?|xlsx?)$|\/[^/]*\/|[*#xX•]{4}/;

const codeOperator = /\w\(|::|->|=>/;

/**
 * Returns the length of a password at the start of a match: letters and digits that are no word with a number; 0 if it
 * is none.
 * @param isProse true if the word for a password is one of prose, after which words with a number are passwords too
 */
function measureSpoken(match: string, isProse: boolean): number {
  const value = match.replace(closing, "");
  if (value.length < 7 || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return 0;
  if (notPassword.test(value) || hasTemplate(value) || (!isProse && codeOperator.test(value))) return 0;
  // The closing punctuation of a random password is a part of it.
  const length = /[^\w.,;:)\]]/.test(value) ? match.replace(/(?<![.,;:])[.,;:]+$/, "").length : value.length;
  if (isProse) return /[A-Z]|[^\w]|_/.test(value) || /\d[A-Za-z]+\d|\d{3}/.test(value) ? length : 0;
  return isWords(value) ? measurePassword(match) : length;
}

const inProse = (match: string) => measureSpoken(match, true);
const inCode = (match: string) => measureSpoken(match, false);

/** Matches words for passwords outside English, with which no code names anything. */
const words =
  /(?<![\p{L}\d_])(?:passwort|kennwort|zugangscode|contraseña|mot de passe|mdp|palavra-passe|senha|parola(?: d['’]ordine|sı|m|mız)?|wachtwoord|has[łl]o|hasłem|şifre(?:si|m|miz)?|парол[ьяе]|mật khẩu|lösenord|heslo|jelszó)(?!\p{L})|密码|密碼|口令|パスワード|暗証番号|비밀번호|비번|암호|apiキー|api ?密[钥鑰]|api ?키|كلمة (?:السر|المرور)|الرقم السري|סיסמ[אה]|पासवर्ड/iu;

/** Matches within each match of `words`, faster. */
const wordParts =
  /passwort|kennwort|zugangscode|contraseña|mot de passe|mdp|palavra-passe|senha|parola|wachtwoord|has[łl]o|şifre|парол|mật khẩu|lösenord|heslo|jelszó|密码|密碼|口令|パスワード|暗証番号|비밀번호|비번|암호|apiキー|api ?密|api ?키|كلمة |الرقم السري|סיסמ|पासवर्ड/i;

/** Matches up to five words, as in "password of the router: ", or none. */
const proseGap =
  /(?:(?:[^\n:：="'`]{0,40}[:：=]|[^\S\n]{1,2}(?:lautet|ist|war|es|era|est|était|é|era|is|è|to|jest|было?|là|adalah)(?=\s)|は|が|を|는|은|이|가|है|-?[iı]m|[^\S\n]{1,2}[-–—>]{1,2})?[^\S\n]{0,3})["'`„“”»«]{0,2}/u;

/** Formats of passwords as people and commands state them. */
export const spokenPasswords: readonly Omit<SensitiveFormat, "category">[] = [
  {
    kind: "password",
    score: 0.85,
    pattern: /(?<![!-~])["'`]?[!#-&(-_a-~]{7,100}/,
    cue: { words, search: wordParts, gap: proseGap },
    measure: inProse,
  },
  {
    kind: "password",
    score: 0.85,
    pattern: /(?<=[\s:：は는은"'`])[!#-&(-_a-~]{7,100}/,
    cue: { words, search: wordParts, gap: proseGap },
    measure: inProse,
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
    measure: inCode,
  },
  {
    kind: "password",
    score: 0.9,
    pattern: /(?<=[\sawpP:%=])["']?[!#-&(-~]{6,100}/,
    cue: {
      words:
        /\b(?:mysql(?:dump|admin)?|mariadb|sshpass|redis-cli|ldap(?:search|add|modify|passwd)|mongo(?:sh|dump)?|sqlcmd|smbclient|xfreerdp|plink|pscp|identified by|requirepass|masterauth)\b/i,
      gap: /(?:[^\n]{0,120}\s(?:-[pawP]|\/p:|-U [\w.-]{1,30}%)[ =]?|[ \t]{1,3})/,
    },
    measure: (match) => (/\d/.test(match) && /[A-Za-z]/.test(match) ? measureLoginPassword(match) : 0),
  },
  {
    kind: "password",
    score: 0.85,
    pattern: /(?<=\| {0,3}`?)[!-_a-{}~]{8,64}(?=`? {0,3}\|)/,
    cue: {
      words:
        /\| {0,8}(?:password|passwd|passwort|pw|pass|contraseña|senha|mot de passe|пароль|密码|パスワード|비밀번호) {0,8}\|/i,
      search: /\| {0,8}[\p{L}]/u,
      gap: /[^\n]{0,60}\r?\n {0,3}\|[-:| ]{3,80}\r?\n(?:[^\n]{0,100}\n)?[^\n]{0,80}/,
    },
    measure: inCode,
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
        /(?:seed|recovery|backup|mnemonic|secret recovery)[ -]?(?:phrase|words)|mnemonic|\b(?:12|24) (?:words|wörter|palabras|mots|parole|palavras)|frase (?:semilla|de recuperaci[oó]n)|wiederherstellungsphrase|phrase (?:de récupération|secrète)|복구 문구|シードフレーズ|助记词|助記詞|сид[- ]фраз|мнемони/iu,
      gap: /[^\n]{0,40}\s{0,3}(?:\n\s{0,3})?/,
    },
    measure: (match) =>
      /(?<![a-z])(?:the|and|you|that|with|this|for|are|not|have|your|from)(?![a-z])/.test(match) ? 0 : match.length,
  },
];
