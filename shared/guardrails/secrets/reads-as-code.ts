/**
 * Matches technical words with letters after digits, such as `utf8mb4`. Other words of this form are random or
 * passwords.
 */
const technicalWord =
  /^(?:v?\d+(?:(?:alpha|beta|rc|ms|s|m|h|d|kb|mb|gb|px|x|st|nd|rd|th)\d*)?|v\d+(?:alpha|beta|rc|p)\d+|(?:i18n|l10n|a11y|k8s|e2e)\w{0,16}|[bp]2[bcp]|pkcs\d{1,2}(?:[a-z]{3,10})?|(?:x|ed|curve)(?:25519|448)|(?:is|has)?(?:utf|sha|md|rs|es|ps|hs|aes|x|oauth|base|b|s|ec|ed|p|k|http|h|ip|web|i|u|f|int|uint|float|id|arm|amd|win)\d{1,4}(?-i:[a-z]{0,10}))$/i;

/**
 * Matches pairs of letters that are rare within words, such as `qj`: less than 0.01 % of the pairs in names of public
 * code and 0.02 % in prose. Of random pairs, 40 % are among them.
 */
const rarePair =
  /a(?=q)|b(?=[dfghknpqvwxz])|c(?=[bdfgjnqvwxz])|d(?=[hjkqvwxz])|f(?=[bcdghjkmnpqvwxz])|g(?=[bcdfjkqvwxz])|h(?=[bcdfghjkpqvwxz])|i(?=[hjwy])|j(?=[b-df-hj-npqrtv-z])|k(?=[bcdghjkmpqvwxz])|l(?=[hjnqrwxz])|m(?=[fghjkqrvwxz])|n(?=[qwxz])|o(?=[qz])|p(?=[bfjknqvwxz])|q(?=[a-kmo-tv-z])|r(?=[hjqxz])|s(?=[gjrvxz])|t(?=[gjkqvxz])|u(?=[hjkquvwyz])|v(?=[bcdfghjkmnp-uv-xz])|w(?=[bcdfgjkmpqtu-z])|x(?=[bdfghj-nqrsuvwxz])|y(?=[hjkqv-z])|z(?=[bcdfghj-npq-y])/g;

/** Minimum length of a text in which rare pairs count. Shorter texts may be abbreviations, which consist of them. */
const MIN_PAIRED = 8;

/** Minimum number of letters per camel-case part and rare pair in words. */
const MIN_LETTERS_PER_PART = 2.5;

/**
 * Returns true if letters can be words or abbreviations: camel-case parts are long enough, long parts have vowels, and
 * few pairs are rare.
 */
function areWords(letters: string): boolean {
  const parts = letters.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z]+/g) ?? [];
  const rarePairs = letters.length < MIN_PAIRED ? 0 : (parts.join(" ").toLowerCase().match(rarePair)?.length ?? 0);
  if (letters.length > 4 && letters.length < MIN_LETTERS_PER_PART * (parts.length + rarePairs)) return false;
  return parts.every((part) => part.length < 6 || /[aeiouy]|[^A-Za-z]/i.test(part));
}

/** Matches words with letters other than ASCII, as in `Uzstādiet`. Random values have none. */
const foreignWord = /^(?=.*\P{ASCII})\p{L}+$/u;

/** Returns true if letters and digits can be a name in code, such as `oauth2Client` or `AUTH_SECRET_1`. */
function isWord(text: string): boolean {
  if (technicalWord.test(text) || foreignWord.test(text)) return true;
  const word = text.replace(/oauth2/i, "oauth");
  // Digits end a word of code or stand before the next one in camel case.
  const [, letters = "", middle = "", next = ""] =
    /^(?:\d{1,2}(?=[A-Za-z]{3}))?([^\d]+)(?:(\d{1,4})((?:[a-z]{1,2})?[A-Z][^\d]+\d{0,2})?)?$/.exec(word) ?? [];
  if (letters === "" || (next !== "" && middle.length > 3)) return false;
  const withoutNumber = word.replace(/(?<!\d)\d+$/, "");
  return (
    areWords(letters) &&
    (next === "" || areWords(next.replace(/(?<!\d)\d+$/, ""))) &&
    (withoutNumber.length < MIN_PAIRED || areWords(withoutNumber))
  );
}

/** Returns true if a text consists of words and names, with any punctuation between them. */
export const isWords = (text: string): boolean => (text.match(/[\p{L}\d]+/gu) ?? []).every(isWord);

/**
 * Matches the beginning of an expression in code: operators, a path of names, and a bracket, as in `&options.Source{`
 * or `headers[`.
 */
const expressionStart =
  /^[&*!@#:$~^%+|\\-]{0,3}([\p{L}_$][\p{L}\d_$]*(?:(?:[.!?]{1,3}|::|->)[\p{L}_$][\p{L}\d_$]*)*)[!?.]{0,2}[([{]/u;

/** Matches parts of templates, regular expressions and escape sequences, which no secret contains. */
const templatePart =
  /[$#%@]\{|\{\{|\$\(|%\(|\\[("'ntrswdbux\\/]|\{\d?\}|\{[A-Za-z_][\w.]*[}([]|<%|%[sdv]$|%\d\$[sd]|\(\?|\[\^|^\/\^|\.\*|\.\+/;

/** Returns true if a text contains a part of a template, such as `${PASSWORD}`. */
export const hasTemplate = (text: string): boolean => templatePart.test(text);

/** Matches numbers, versions, times, and memory addresses of objects. */
const numberLike =
  /^(?:[\d.]+\)|[+-]?0[xX][\da-fA-F_]{1,16}[uUlLn]*|v?\d+\.\d[\w.+-]*|\d{4}-\d\d-\d\dT[\d:.,+Z-]*|[\w.$]*[A-Za-z]@[\da-f]{5,8})$/;

/** Matches e-mail addresses, and package versions such as `react@18.2.0`. */
const addressLike = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;

/**
 * Matches a symbol next to a digit within a word, as in `Hunter2!9` and `Tr0ub4dor&3`. Code has spaces around such
 * symbols.
 */
const symbolInPassword = /\d[!$^&#@][A-Za-z\d]|[A-Za-z]\d+\*[A-Za-z\d]|[A-Za-z\d][!$^&#@*]\d/;

/** Matches a symbol between letters or digits, which is rare in code. */
const unusualSymbol = /[A-Za-z\d][!$^&#@%~?][A-Za-z\d]/;

/** Matches words of at least ten characters with letters of both cases and digits. */
const mixedWord = /^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[\w-]{10,}$/;

/**
 * Returns true if a value is code, a name or prose, and not a secret: identifiers, dotted and subscripted expressions,
 * calls, types, paths, addresses, templates, numbers and words.
 */
export function readsAsCode(value: string): boolean {
  if (numberLike.test(value) || addressLike.test(value) || hasTemplate(value)) return true;
  if (/^&[\w.]{1,200}\{$/.test(value)) return true;
  const [, path] = expressionStart.exec(value) ?? [];
  if (path !== undefined && isWords(path)) return true;
  if (symbolInPassword.test(value) || (unusualSymbol.test(value) && !areWords(value))) return false;
  return (
    isWords(value) &&
    (!mixedWord.test(value) || technicalWord.test(value) || areWords(value.replace(/[_-]|(?<!\d)\d+$/g, "")))
  );
}
