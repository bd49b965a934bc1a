/** Source that matches words for passwords in languages other than English, with which no code names anything. */
export const passwordWords =
  "passw[oö]rt\\p{L}{0,4}|kennw[oö]rt\\p{L}{0,4}|zugangscodes?|contraseñas?|clave|contra|mots? de passe|mdp|palavras?-passe|senhas?|parol[aăei]\\p{L}{0,8}|wachtwoord\\p{L}{0,3}|ww|has[łl][oaeu]\\p{L}{0,3}|hase[łl]k\\p{L}|[şs]ifre\\p{L}{0,6}|[šs]ifr[aeu]|парол\\p{L}{1,4}|пасс?|mật khẩu|mk|lösen(?:ord\\p{L}{0,3})?|hesl[oaeu]\\p{L}{0,3}|jelsz[óaá]\\p{L}{0,6}|adgangskode\\p{L}{0,2}|kodeord\\p{L}{0,3}|passord\\p{L}{0,2}|salasana\\p{L}{0,4}|(?:kata )?sandi(?:nya)?|κωδικ\\p{L}{1,3}|συνθηματικ\\p{L}{1,3}|lozink\\p{L}{1,3}|chiave (?:wifi|di rete)|(?:wlan|wifi)-?(?:schlüssel|pass\\p{L}{0,4}|pwd?|lösen)";

/** Source that matches words for passwords in scripts without spaces between words, and of others without inflected ends. */
export const otherPasswordWords =
  "密码|密碼|口令|パスワード|パス(?!ワ)|暗証番号|비밀번호|비번|암호|apiキー|api ?密[钥鑰]|api ?키|كلمة (?:السر|المرور)|با?سوورد|الباسورد|الباس(?=\\s)|الرقم السري|ה?סיסמ[אה]\\p{L}{0,2}|पासवर्ड|कूटशब्द";

/** Source that matches words for passwords that code uses too, so that only prose tells a password after them. */
export const englishPasswordWords = "password\\p{L}{0,3}|passwd|pass|passcode|pwd?";

/** Source that matches one of the Latin, Cyrillic or Greek words of a source, and no part of a longer word. */
export const wholeWords = (words: string): string => `(?<![\\p{L}\\d_-])(?:${words})(?![\\p{L}\\d_])`;

/** Matches a colon, an arrow, a form of "to be", or a word such as "now" at the end of what stands between a word and a value. */
const linked =
  /(?:[:：=→—–]|->|(?:^|\s)-|(?:^|\s)(?:is|was|lautet|ist|war|es|era|est|était|c['’]est|é|è|e|este|to|jest|je|jsou|är|er|on|είναι|ήταν|был[ао]?|adalah|ialah|là|היא|הוא|هي|هو|olan|be|van|glasi|still|now|jetzt|hai)|は|が|を|는|은|이|가|是|为|為|है|-?[iı]m)$/iu;

/** Matches what follows a name in code, and no word in prose. */
const codeStart = /^["']?(?:[^\s\p{L}:：=→—–"'`„“”‘«»「『(,]|[,(.](?!\s)|[:=](?=[\w.]))/u;

const quotes = /["'`„“”‘«»「『(]{1,2}$/;

/** Matches ends of sentences and parts of code, after which a word announces nothing. */
const interruption = /[.!?;]\s|[{}<>[\]|=;*_#@&%$~^\\]|\(|["'`„“”«»].*["'`„“”«»]/;

/** Distance and punctuation between a word for a secret and its value. */
export interface Announcement {
  /** The word. */
  readonly word: string;
  /** Number of words between. */
  readonly distance: number;
  /** True after a colon, an arrow, or a form of "to be". */
  readonly isLinked: boolean;
  /** True if the value begins with a quotation mark. */
  readonly isQuoted: boolean;
  /** The last character of a link, such as a colon. */
  readonly end: string;
}

/** Maximum number of words between a word for a secret and the secret. */
const MAX_DISTANCE = 8;

/**
 * Returns how a text before a value announces it, or undefined if the last of the words is in another sentence or in code.
 * @param words expression with the flag `g`
 */
export function findAnnouncement(before: string, words: RegExp): Announcement | undefined {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const last = [...line.matchAll(words)].at(-1);
  if (!last) return undefined;
  const gap = line.slice(last.index + last[0].length);
  if (codeStart.test(gap)) return undefined;
  const between = gap.replace(quotes, "").trim();
  const isLinked = linked.test(between);
  const inner = between.replace(linked, "");
  if (interruption.test(inner)) return undefined;
  const distance = inner.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
  if (distance > MAX_DISTANCE) return undefined;
  return { word: last[0], distance, isLinked, isQuoted: quotes.test(gap), end: between.at(-1) ?? "" };
}
