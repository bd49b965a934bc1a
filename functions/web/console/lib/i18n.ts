import { signal } from "@preact/signals";

/** Languages of the console. */
export type Language = "en" | "de";

/** Translations by English text. A text without an entry is shown in English. */
type Dictionary = Readonly<Record<string, string>>;

const storageKey = "switchboard.language";

/** Language that is shown. */
export const language = signal<Language>("en");

let dictionary: Dictionary = {};

function preferredLanguage(): Language {
  const stored = localStorage.getItem(storageKey);
  if (stored === "en" || stored === "de") return stored;
  return navigator.language.startsWith("de") ? "de" : "en";
}

/** Switches the language and remembers it. Loads the dictionary first, so that no text changes afterwards. */
export async function setLanguage(next: Language): Promise<void> {
  dictionary = next === "de" ? (await import("./texts-de.ts")).german : {};
  localStorage.setItem(storageKey, next);
  document.documentElement.lang = next;
  language.value = next;
}

/** Loads the language that the user chose, or that of the browser. */
export function loadLanguage(): Promise<void> {
  return setLanguage(preferredLanguage());
}

/** Translates the singular or the plural form of a text. English and German use the singular for 1 only. */
export function tn(one: string, other: string, count: number): string {
  return t(count === 1 ? one : other, { count: count.toLocaleString(language.value) });
}

/**
 * Translates an English text and fills its placeholders: `t("{count} documents", { count: 3 })`. A test requires a German
 * translation of every literal that is passed here.
 */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  // Reading the signal makes components render again after a switch.
  const translated = language.value === "en" ? text : (dictionary[text] ?? text);
  return translated.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
