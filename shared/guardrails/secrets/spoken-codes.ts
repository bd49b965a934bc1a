import type { SensitiveFormat } from "../sensitive-pattern.ts";
import { findAnnouncement, otherPasswordWords, passwordWords, wholeWords } from "./announcing-words.ts";

const pinWords =
  "pin(?:[ -]?(?:co?de?|kod\\p{L}{0,3}|numm?er|numarası)|ul|je|i)?|pin-?код|passcode|nip|geheimzahl|code secret|пин(?:[ -]?код)?\\p{L}{0,2}|пін(?:[ -]?код)?\\p{L}{0,2}";

const onceWords =
  "(?:verification|security|confirmation|one[- ]time|login|auth(?:entication)?|2fa|sms)[ -](?:pass)?code|otp|m?tan|einmalcode|einmalpasswort|bestätigungscode|sicherheitscode|sms-?code|code (?:de (?:validation|vérification|sécurité|confirmation)|sms)|código (?:de (?:verificación|seguridad|confirmación|verificação|segurança|confirmação)|sms)|codice (?:di (?:verifica|sicurezza|conferma)|sms|otp)|verificatiecode|kod (?:sms|weryfikacyjny|autoryzacyjny|jednorazowy)|(?:ověřovací|jednorázový|sms) kód|engångskod\\p{L}{0,2}|(?:onay|doğrulama|sms) kodu|код (?:подтверждения|из смс|підтвердження|з смс)|kode (?:otp|verifikasi)|mã (?:otp|xác (?:nhận|thực|minh))|κωδικ\\p{L}{1,3} (?:μιας χρήσης|επιβεβαίωσης)";

const doorWords =
  "(?:door|gate|entry|building|garage|alarm|lock|lockbox|safe|vault)(?: panel| key)? code|(?:tür|tor|alarm|zugangs?|safe|tresor)-?code|code (?:de la porte|de l['’](?:immeuble|alarme|entrée)|du (?:portail|coffre)|d['’]entrée)|código (?:de la puerta|del portal|da porta|do portão|do cofre|de la alarma)|codice (?:del(?:la)? (?:porta|portone|cancello|cassaforte)|del(?:l['’])?(?:allarme|antifurto))|(?:toegangs|deur|poort|alarm)code|kod do (?:domofonu|bramy|drzwi|sejfu|alarmu)|kód (?:od|k) \\p{L}{1,20}|port(?:kod|koden)|larmkod\\p{L}{0,2}|kapı kodu|код (?:от |від )?(?:домофон\\p{L}?|под[ъ']?езд\\p{L}?|під['’]?їзд\\p{L}?|двер\\p{L}{1,2}|сейф\\p{L}?)|interfon(?:ul)?|cod(?:ul)? (?:de la )?(?:interfon|poartă|ușă)|kapukód|κωδικός (?:πόρτας|συναγερμού|εισόδου)|mã (?:cửa|cổng|két)|kode (?:pintu|gerbang|brankas)";

const otherWords =
  "验证码|驗證碼|校验码|动态码|门禁(?:密)?码|(?:認証|確認|ワンタイム)(?:コード|番号|パスワード)|金庫の番号|인증 ?번호|인증 ?코드|금고 ?(?:번호|암호)|ओटीपी|पिन|(?:सत्यापन|तिजोरी का) कोड|رمز (?:التحقق|التأكيد|الدخول|الباب)|קוד (?:ה?אימות|הדלת|הכניסה|ה?סודי|לבניין)|הקוד (?:של הדלת|הסודי)|オートロック";

/** Names of codes of a few digits: PINs, codes that work once, and those of doors and alarms. */
const codeWords = `${wholeWords(`${pinWords}|${onceWords}|${doorWords}|${passwordWords}`)}|${otherWords}|${otherPasswordWords}`;

const announcing = new RegExp(codeWords, "giu");
const password = new RegExp(`^(?:${passwordWords}|${otherPasswordWords})$`, "iu");

const recoveryWords =
  /(?:recovery|backup|rescue|reset|licen[cs]e)[ -](?:code|key)s?|wiederherstellungs(?:code|schlüssel)|(?:wlan|wifi|wi-fi)-?schlüssel|netzwerkschlüssel|code de (?:secours|récupération)|código de (?:recuperación|recuperação|respaldo)|codice di (?:recupero|backup)|herstelcodes?|kod (?:odzyskiwania|zapasowy)|(?:obnovovací|záložní) kód|återställningskod\p{L}{0,2}|kurtarma kod\p{L}{1,4}|код\p{L}? (?:восстановления|відновлення)|رمز الاسترداد|קוד (?:ה)?שחזור|恢复(?:代)?码|復旧コード|回復コード|복구 ?코드|mã khôi phục|kode pemulihan|κωδικ\p{L}{1,3} ανάκτησης|cod(?:ul)? de recuperare|helyreállítási kód/iu;

const phraseWords =
  /passphrase\p{L}{0,2}|pass ?phrase|passwortsatz|merksatz|phrase (?:de passe|secrète)|frase (?:de paso|secreta|segura|de acceso|de segurança)|frase (?:di accesso|segreta)|wachtzin|fraza (?:de acces|hasłowa)|hasło-fraza|bezpečnostní fráze|lösenfras\p{L}{0,2}|парольн\p{L}{2} фраз\p{L}|секретн\p{L} фраз\p{L}|кодов\p{L}{2} слово|عبارة (?:المرور|السر)|משפט (?:ה)?סיסמה|合言葉|パスフレーズ|암구호|câu mật khẩu|kalimat sandi|φράση πρόσβασης|jelmondat\p{L}{0,3}|safe ?word|security phrase/iu;

/** Matches a year, which prose mentions next to all words. */
const year = /^(?:19|20)\d\d$/;

/** Matches the beginning of instructions in place of a phrase. */
const instruction =
  /^(?:please|enter|your|a|an|the|must|should|use|choose|at|not|none|optional|required|see|same|bitte|ihr|dein)\s/i;

/** Returns the length of the first groups that are no words; 0 for fewer than two. */
function measureGroups(match: string): number {
  const groups = match.split(/[- ]/);
  if (groups.every(({ length }) => length === groups[0]?.length) && /\d/.test(match)) return match.length;
  const firstWord = groups.findIndex((group) => !/\d/.test(group) && !/^[A-Z]+$/.test(group));
  const coded = firstWord === -1 ? groups : groups.slice(0, firstWord);
  return coded.length > 1 && coded.some((group) => /\d/.test(group)) ? coded.join(" ").length : 0;
}

/** Returns the length of a code that a sentence states; 0 if it states none. */
function measureCode(match: string, before: string): number {
  const announcement = findAnnouncement(before, announcing);
  if (!announcement) return 0;
  const { word, isLinked, isQuoted } = announcement;
  // In India, a PIN code of six digits is a part of an address.
  if (/^pin[ -]?code$/i.test(word) && match.length === 6) return 0;
  if (isLinked || isQuoted) return match.length;
  return year.test(match) ||
    (password.test(word) && /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(word))
    ? 0
    : match.length;
}

/** Formats of codes and phrases that people state, which no format but the words before them tells. */
export const spokenCodes: readonly Omit<SensitiveFormat, "category">[] = [
  {
    kind: "access code",
    score: 0.8,
    // Letters of scripts without spaces can stand around it.
    pattern:
      /(?<![\d.,:/#*+-]|[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])(?:\p{Lu}|[#*]|\d{1,2}\p{Lu})?\d{4,8}(?:\p{Lu}|[#*])?(?![\d%€$£]|[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[.,:/-]\d)/u,
    cue: {
      words: new RegExp(codeWords, "iu"),
      gap: /[^\n]{1,60}/,
    },
    measure: measureCode,
  },
  {
    kind: "access code",
    score: 0.8,
    pattern:
      /(?<![A-Za-z\d-])\d{1,2}(?:-\d{1,2}){2,3}(?![A-Za-z\d-])|(?<![\p{L}\d-])\d{1,2}\p{Ll}{3,8}\d{2,6}(?![\p{L}\d-])/u,
    cue: {
      words: new RegExp(
        `${wholeWords(`${doorWords}|senha do cofre|combinaison du coffre|zahlenkombination|kunci brankas`)}|${otherWords}`,
        "iu",
      ),
      gap: /[^\n]{1,60}/,
    },
  },
  {
    kind: "recovery code",
    score: 0.85,
    pattern: /(?<![\p{L}\d-])[A-Za-z\d]{4,6}(?:[- ][A-Za-z\d]{4,6}){1,8}(?![\p{L}\d-])/u,
    cue: { words: recoveryWords, gap: /[^\n]{0,60}[\s:："'„“«]/ },
    measure: measureGroups,
  },
  {
    kind: "passphrase",
    score: 0.8,
    pattern: /(?<=[\s:：="'„“«「])[\p{L}\p{M}'’]{1,24}(?: [\p{L}\p{M}'’]{1,24}){2,9}(?![\p{L}\p{M}])/u,
    cue: { words: phraseWords, gap: /[^\n:：=—→は]{0,40}(?:[:：=—→]|は)[ \t]{0,3}["'„“«「]?/ },
    measure: (match) => (instruction.test(match) ? 0 : match.length),
  },
  {
    kind: "passphrase",
    score: 0.8,
    pattern: /(?<=["'„“”«「])[\p{L}\p{M}\d]{2,24}(?: [\p{L}\p{M}\d]{1,24}){2,9}(?=["'“”»」])/u,
    cue: {
      words: new RegExp(`(?<![\\p{L}\\d_"'-])(?:${passwordWords})(?![\\p{L}\\d_])|${otherPasswordWords}`, "iu"),
      gap: /[ \t]{1,2}(?:\p{L}{1,4}[ \t])?["'„“”«「]/u,
    },
  },
];
