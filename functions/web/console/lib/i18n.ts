import { signal } from "@preact/signals";

/** Translations by English text. A text without an entry is shown in English. */
type Dictionary = Readonly<Record<string, string>>;

/** Languages of the console: their own names, and loaders of their texts, which are separate files. */
export const consoleLanguages = {
  en: { name: "English", load: async (): Promise<Dictionary> => ({}) },
  de: {
    name: "Deutsch",
    load: async (): Promise<Dictionary> => (await import("./texts/de.json", { with: { type: "json" } })).default,
  },
  ar: {
    name: "العربية",
    load: async (): Promise<Dictionary> => (await import("./texts/ar.json", { with: { type: "json" } })).default,
  },
} as const;

type ConsoleLanguage = keyof typeof consoleLanguages;

/** Language codes in the order of the language menu. */
export const languageCodes = Object.keys(consoleLanguages) as readonly ConsoleLanguage[];

const storageKey = "switchboard.language";

export const language = signal<ConsoleLanguage>("en");

let dictionary: Dictionary = {};

function preferredLanguage(): ConsoleLanguage {
  const preferred = localStorage.getItem(storageKey) ?? navigator.language;
  return languageCodes.find((code) => preferred.split("-")[0] === code) ?? "en";
}

/** Returns the locale for numbers and dates. Arabic uses the digits 0 to 9, like the ids and code next to them. */
export const getLocale = (): string => (language.value === "ar" ? "ar-u-nu-latn" : language.value);

/** Switches the language and stores the choice. Loads the texts first, so that the page changes only once. */
export async function setLanguage(next: ConsoleLanguage): Promise<void> {
  dictionary = await consoleLanguages[next].load();
  localStorage.setItem(storageKey, next);
  document.documentElement.lang = next;
  document.documentElement.dir = next === "ar" ? "rtl" : "ltr";
  language.value = next;
}

/** Loads the texts of the language that the user chose before, or else of the browser's language. */
export function loadLanguage(): Promise<void> {
  return setLanguage(preferredLanguage());
}

/**
 * Translates the singular or plural form of a text. English and German use the singular only for 1. In Arabic, both forms
 * have the same translation, because the number follows its noun.
 */
export function tn(one: string, other: string, count: number): string {
  return t(count === 1 ? one : other, { count: count.toLocaleString(getLocale()) });
}

/**
 * Translates an English text and fills its placeholders: `t("{count} documents", { count: 3 })`. A test requires translations
 * of every literal that is passed to this function.
 */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  // Reading the signal makes components render again after a switch.
  const translated = language.value === "en" ? text : (dictionary[text] ?? text);
  return translated.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
