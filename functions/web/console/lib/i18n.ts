import { signal } from "@preact/signals";

/** Translations by English text. A text without an entry is shown in English. */
type Dictionary = Readonly<Record<string, string>>;

/** Languages of the console, with their own names, and the loaders of their texts, which are chunks of their own. */
export const languages = {
  en: { name: "English", load: async (): Promise<Dictionary> => ({}) },
  de: { name: "Deutsch", load: async (): Promise<Dictionary> => (await import("./texts/texts-de.ts")).german },
  ar: { name: "العربية", load: async (): Promise<Dictionary> => (await import("./texts/texts-ar.ts")).arabic },
} as const;

export type Language = keyof typeof languages;

/** Languages in the order of the menu. */
export const languageCodes = Object.keys(languages) as readonly Language[];

const storageKey = "switchboard.language";

export const language = signal<Language>("en");

let dictionary: Dictionary = {};

function preferredLanguage(): Language {
  const preferred = localStorage.getItem(storageKey) ?? navigator.language;
  return languageCodes.find((code) => preferred.startsWith(code)) ?? "en";
}

/** Returns the locale of numbers and dates. Arabic texts have the digits 0 to 9, as ids and code next to them do. */
export const getLocale = (): string => (language.value === "ar" ? "ar-u-nu-latn" : language.value);

/** Switches the language and remembers it. Loads the dictionary first, so that no text changes afterwards. */
export async function setLanguage(next: Language): Promise<void> {
  dictionary = await languages[next].load();
  localStorage.setItem(storageKey, next);
  document.documentElement.lang = next;
  document.documentElement.dir = next === "ar" ? "rtl" : "ltr";
  language.value = next;
}

/** Loads the language that the user chose, or that of the browser. */
export function loadLanguage(): Promise<void> {
  return setLanguage(preferredLanguage());
}

/**
 * Translates the singular or the plural form of a text. English and German use the singular for 1 only; in Arabic, both are the
 * same, because the number follows its noun.
 */
export function tn(one: string, other: string, count: number): string {
  return t(count === 1 ? one : other, { count: count.toLocaleString(getLocale()) });
}

/**
 * Translates an English text and fills its placeholders: `t("{count} documents", { count: 3 })`. A test requires the
 * translations of every literal that is passed here.
 */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  // Reading the signal makes components render again after a switch.
  const translated = language.value === "en" ? text : (dictionary[text] ?? text);
  return translated.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
