import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { stopwords as danishWords } from "@orama/stopwords/danish";
import { stopwords as dutchWords } from "@orama/stopwords/dutch";
import { stopwords as englishWords } from "@orama/stopwords/english";
import { stopwords as finnishWords } from "@orama/stopwords/finnish";
import { stopwords as frenchWords } from "@orama/stopwords/french";
import { stopwords as germanWords } from "@orama/stopwords/german";
import { stopwords as hungarianWords } from "@orama/stopwords/hungarian";
import { stopwords as italianWords } from "@orama/stopwords/italian";
import { stopwords as norwegianWords } from "@orama/stopwords/norwegian";
import { stopwords as portugueseWords } from "@orama/stopwords/portuguese";
import { stopwords as romanianWords } from "@orama/stopwords/romanian";
import { stopwords as spanishWords } from "@orama/stopwords/spanish";
import { stopwords as swedishWords } from "@orama/stopwords/swedish";
import { stopwords as turkishWords } from "@orama/stopwords/turkish";
import { stem as english } from "porter2";

/** Text analysis rules of a language. */
interface LanguageRules {
  /** Returns the stem of a word by the Snowball algorithm. */
  stem(word: string): string;
  /** Words that are not indexed. */
  readonly stopWords: ReadonlySet<string>;
}

const rules = (stem: (word: string) => string, stopWords: readonly string[]): LanguageRules => ({
  stem,
  stopWords: new Set(stopWords),
});

/** Elided articles and prepositions, which are joined to the next word. */
const elision = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|all|dall|dell|nell|quest|sull|un)'(?=\p{L})/u;

const withoutElision = (stem: (word: string) => string) => (word: string) => stem(word.replace(elision, ""));

// Restore accents that writers often omit: without them, the stemmers return different stems.
const stemSpanish = (word: string) => spanish(word.replace(/([cs])ion$/, "$1ión"));
const stemPortuguese = (word: string) => portuguese(word.replace(/cao$/, "ção").replace(/coes$/, "ções"));

/** Function words of Vietnamese, for which `@orama/stopwords` has no list. */
const vietnameseWords =
  "là của và các được cho những không một có này trong với đã đang sẽ khi để thì mà đến từ ở như nào gì bởi vì nếu nhưng hoặc hay cũng rất tôi bạn".split(
    " ",
  );

/** Rules of the languages in Latin script that `detectLanguage` distinguishes. */
const latin = {
  da: rules(danish, danishWords),
  de: rules(german, germanWords),
  // porter2 instead of @orama/stemmers, whose English stemmer does not match "connection" and "connect" (decision 0004).
  en: rules(english, englishWords),
  es: rules(stemSpanish, spanishWords),
  fi: rules(finnish, finnishWords),
  fr: rules(withoutElision(french), frenchWords),
  hu: rules(hungarian, hungarianWords),
  it: rules(withoutElision(italian), italianWords),
  nl: rules(dutch, dutchWords),
  no: rules(norwegian, norwegianWords),
  pt: rules(stemPortuguese, portugueseWords),
  ro: rules(romanian, romanianWords),
  sv: rules(swedish, swedishWords),
  tr: rules(turkish, turkishWords),
  // Vietnamese words are not inflected.
  vi: rules((word) => word, vietnameseWords),
} as const;

/** Language with its own stemmer; `en` also stands for all other languages. */
export type Language = keyof typeof latin;

export const languages = Object.keys(latin) as Language[];

/** Returns the rules for the Latin words of a language. */
export const getLanguageRules = (language: Language): LanguageRules => latin[language];

/** Stemmers for words in a non-Latin script. The script alone chooses one, regardless of the language of the text. */
const stemmersByScript = [
  { script: /^\p{sc=Cyrillic}/u, stem: russian },
  { script: /^\p{sc=Arabic}/u, stem: arabic },
] as const;

/** Returns the stem of a word in a non-Latin script, or the word itself if there is no stemmer. */
export function stemByScript(word: string): string {
  return stemmersByScript.find(({ script }) => script.test(word))?.stem(word) ?? word;
}

/** Length of the text sample for detection, in UTF-16 code units. */
const SAMPLE_LENGTH = 20_000;

/** Minimum share of stop words in a text; below it, the language counts as unknown. */
const MIN_STOP_WORD_SHARE = 0.1;

/**
 * Up to this number of words, more than half of a text must be stop words, because a few words can belong to several
 * languages: English has *per*, *die* and *come*, too.
 */
const SHORT_TEXT_WORDS = 3;

/**
 * Letters that few of the languages use. A word with one of them reveals its language like a stop word: a title or a
 * short document often has no stop word.
 */
const distinctiveLetters: readonly (readonly [RegExp, readonly Language[]])[] = [
  [/[ơưđảạấầẩẫậắằẳẵặẻẽẹếềểễệỉĩịỏọốồổỗộớờởỡợủũụứừửữựỳỷỹỵ]/u, ["vi"]],
  [/[ğı]/u, ["tr"]],
  [/[şţ]/u, ["tr", "ro"]],
  [/[ășț]/u, ["ro"]],
  [/[őű]/u, ["hu"]],
  [/ß/u, ["de"]],
  [/[æø]/u, ["da", "no"]],
  [/å/u, ["sv", "da", "no"]],
  [/ñ/u, ["es"]],
  [/[ãõ]/u, ["pt"]],
];

const languagesByStopWord = new Map<string, Language[]>();
for (const language of languages) {
  for (const word of latin[language].stopWords) {
    languagesByStopWord.set(word, [...(languagesByStopWord.get(word) ?? []), language]);
  }
}

const findCandidates = (word: string): readonly Language[] =>
  languagesByStopWord.get(word) ?? distinctiveLetters.find(([letters]) => letters.test(word))?.[1] ?? [];

/** Numbers of texts by language, such as those of an index. */
type LanguageCounts = Readonly<Partial<Record<Language, number>>>;

const findMostFrequent = (counts: LanguageCounts): Language =>
  (Object.entries(counts) as [Language, number][]).reduce((best, entry) => (entry[1] > best[1] ? entry : best), [
    "en",
    0,
  ] as [Language, number])[0];

/**
 * Detects the language of a text by its share of stop words and of words with distinctive letters. A word that several
 * languages share counts proportionally; single letters do not count.
 * @param known languages of the texts around it. The most frequent one decides what the text itself does not tell;
 * without any, `en` stands for an unknown language
 */
export function detectLanguage(text: string, known: LanguageCounts = {}): Language {
  const words =
    text
      .slice(0, SAMPLE_LENGTH)
      .normalize("NFC")
      // Turkish writes the capital of `i` with a dot.
      .replaceAll("İ", "i")
      .toLowerCase()
      .match(/\p{L}{2,}/gu) ?? [];
  const shares = new Map<Language, number>([["en", 0]]);
  for (const word of words) {
    const candidates = findCandidates(word);
    for (const language of candidates) {
      shares.set(language, (shares.get(language) ?? 0) + 1 / candidates.length / words.length);
    }
  }
  const [language, share] = [...shares].reduce((best, entry) => (entry[1] > best[1] ? entry : best));
  const own = words.filter((word) => findCandidates(word).includes(language)).length;
  const isDoubtful = words.length <= SHORT_TEXT_WORDS && own <= words.length / 2;
  return isDoubtful || share < MIN_STOP_WORD_SHARE ? findMostFrequent(known) : language;
}
