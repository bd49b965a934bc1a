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

/** How words of a language are compared. */
interface Rules {
  /** What the inflected forms of a word have in common, by Snowball's rules. */
  stem(word: string): string;
  /** Words that say nothing by themselves. */
  readonly stopWords: ReadonlySet<string>;
}

const rules = (stem: (word: string) => string, words: readonly string[]): Rules => ({
  stem,
  stopWords: new Set(words),
});

/** Articles and the like that are written together with the next word. */
const elision = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|all|dall|dell|nell|quest|sull|un)'(?=\p{L})/u;

const afterElision = (stem: (word: string) => string) => (word: string) => stem(word.replace(elision, ""));

/** Endings whose accent writers leave out, and without which the stem of their language is another one. */
const spanishAccents = (word: string) => spanish(word.replace(/([cs])ion$/, "$1ión"));
const portugueseAccents = (word: string) => portuguese(word.replace(/cao$/, "ção").replace(/coes$/, "ções"));

/** The languages in Latin letters that are told apart. */
const latin = {
  da: rules(danish, danishWords),
  de: rules(german, germanWords),
  en: rules(english, englishWords),
  es: rules(spanishAccents, spanishWords),
  fi: rules(finnish, finnishWords),
  fr: rules(afterElision(french), frenchWords),
  hu: rules(hungarian, hungarianWords),
  it: rules(afterElision(italian), italianWords),
  nl: rules(dutch, dutchWords),
  no: rules(norwegian, norwegianWords),
  pt: rules(portugueseAccents, portugueseWords),
  ro: rules(romanian, romanianWords),
  sv: rules(swedish, swedishWords),
  tr: rules(turkish, turkishWords),
} as const;

/** A language whose words are stemmed by rules of its own; `en` stands for all that are not told apart. */
export type Language = keyof typeof latin;

export const languages = Object.keys(latin) as Language[];

/** How Latin words of a language are compared. */
export const rulesOf = (language: Language): Rules => latin[language];

/** Languages that are told by their script, in whatever text their words stand. */
const byScript = [
  { script: /^\p{sc=Cyrillic}/u, stem: russian },
  { script: /^\p{sc=Arabic}/u, stem: arabic },
] as const;

/** What the inflected forms of a word in another script than Latin have in common; the word where there are no rules. */
export function stemByScript(word: string): string {
  return byScript.find(({ script }) => script.test(word))?.stem(word) ?? word;
}

/** Text that is looked at to tell its language, in UTF-16 units. */
const enough = 20_000;

/** Of running text, the commonest words of its language make up at least this share. */
const leastShare = 0.1;

/** The languages that a word is one of the commonest of. What many share says little, a letter on its own nothing. */
const commonIn = new Map<string, Language[]>();
for (const language of languages) {
  for (const word of latin[language].stopWords) commonIn.set(word, [...(commonIn.get(word) ?? []), language]);
}

/** The language of a text, told by its commonest words; `en` where they say nothing. */
export function languageOf(text: string): Language {
  const words =
    text
      .slice(0, enough)
      .normalize("NFC")
      .toLowerCase()
      .match(/\p{L}{2,}/gu) ?? [];
  const shares = new Map<Language, number>([["en", 0]]);
  for (const word of words) {
    const among = commonIn.get(word) ?? [];
    for (const language of among) {
      shares.set(language, (shares.get(language) ?? 0) + 1 / among.length / words.length);
    }
  }
  const [language, share] = [...shares].reduce((one, other) => (other[1] > one[1] ? other : one));
  return share < leastShare ? "en" : language;
}
