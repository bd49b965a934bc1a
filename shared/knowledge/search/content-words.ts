import type { Language } from "../../lib/language/languages.ts";
import { extractWords, type Word } from "../../lib/language/terms.ts";

/** English words that occur in questions about any subject. */
const framingWords: ReadonlySet<string> = new Set(
  "tell explain describe compare give show list please know want need help find mean means happen happens happened happening get gets long short much many often quickly soon early late far old tall large big high small fast use used using work works thing things".split(
    " ",
  ),
);

/** Words in several languages that begin a question, as alternatives of a regular expression. */
export const questionWords =
  "how|what|when|where|who|whose|which|why|wie|was|wann|woher|wohin|wo|wer|wem|wen|wessen|welche[rsmn]?|warum|comment|combien|quand|où|qui|quel(?:le)?s?|pourquoi|c[oó]mo|cu[aá]nt[oa]s?|cu[aá]ndo|cu[aá]l(?:es)?|d[oó]nde|qui[eé]n(?:es)?|qu[eé]|quem|onde|quando|qua(?:l|is)|quant[oaie]s?|dove|chi|quale|quali|perché|hoe(?:veel)?|wat|wanneer|waar(?:om)?|welke?|wie|hur|vad|när|var|vem";

/** Returns the distinct words of a text that describe its subject, without stop words and `framingWords`. */
export function toContentWords(text: string, language: Language): Word[] {
  const words = extractWords(text, language).filter(({ word }) => !framingWords.has(word) && !/^[a-z]$/.test(word));
  return [...new Map(words.map((word) => [word.word, word])).values()];
}
