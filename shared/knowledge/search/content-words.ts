import { detectLanguage, type Language } from "../../lib/language/languages.ts";
import { extractWords, type Word } from "../../lib/language/terms.ts";

/** English, German and Vietnamese words that occur in questions about any subject. */
const framingWords: ReadonlySet<string> = new Set(
  "wann wo wer wem wen wessen woher wohin warum fasse zusammen zusammenfassen summarize summarise ai đâu đây đó bao nhiêu sao thế lâu mấy nhiều ít về tại trên dưới ra vào lên xuống hơn nhất cùng giữa sau trước việc sự theo còn chỉ mỗi do bị phải thể nên lại họ nó chúng ta mình làm gọi tên điều cái con chiếc loại khác năm người tell explain describe compare give show list please know want need help find mean means happen happens happened happening get gets long short much many often quickly soon early late far old tall large big high small fast use used using work works thing things".split(
    " ",
  ),
);

/**
 * English words that name no subject. A passage whose text has only these words in common with a question does not
 * answer it.
 */
export const genericWords: ReadonlySet<string> = new Set(
  "type types kind kinds sort category categories name names named called term terms number amount example examples one ones two first second way ways part parts other another person people group groups year years time times day word words known new main different certain made make place form important reason reasons cause caused change changed become became say says level several many".split(
    " ",
  ),
);

/** Words in several languages that begin a question. */
const questionWords =
  "how|what|when|where|who|whose|which|why|wie|was|wann|woher|wohin|wo|wer|wem|wen|wessen|welche[rsmn]?|warum|comment|combien|quand|où|qui|quel(?:le)?s?|pourquoi|c[oó]mo|cu[aá]nt[oa]s?|cu[aá]ndo|cu[aá]l(?:es)?|d[oó]nde|qui[eé]n(?:es)?|qu[eé]|quem|onde|quando|qua(?:l|is)|quant[oaie]s?|dove|chi|quale|quali|perché|hoe(?:veel)?|wat|wanneer|waar(?:om)?|welke?|wie|hur|vad|när|var|vem";

/** Matches the start of a question. A question may have a single content word: "how long is the warranty". */
export const startsQuestion = new RegExp(`^[¿\\s]{0,3}(?:${questionWords})(?!\\p{L})`, "iu");

const pairedRun = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc]{2,}$/u;
const hiragana = /^\p{sc=Hiragana}+$/u;

/** Returns the pairs of characters of a Chinese, Japanese or Korean word. Pairs of Hiragana are mostly endings and particles. */
const toPairs = ({ word, terms }: Word): Word[] =>
  pairedRun.test(word)
    ? terms.filter((term) => !hiragana.test(term)).map((term) => ({ word: term, terms: [term] }))
    : [{ word, terms }];

/**
 * Returns the distinct words of a text that describe its subject, without stop words and `framingWords`. In scripts without
 * spaces, these are pairs of characters.
 */
export function toContentWords(text: string, language: Language): Word[] {
  const words = extractWords(text, language)
    .flatMap((word) => (word.isMarked ? word : toPairs(word)))
    .filter(({ word }) => !framingWords.has(word) && !/^[a-z]$/.test(word));
  return [...new Map(words.map((word) => [word.word, word])).values()];
}

/** Returns true if a text has a content word, and not only function words such as "how" and "is". */
export const hasSubject = (text: string): boolean => toContentWords(text, detectLanguage(text)).length > 0;
