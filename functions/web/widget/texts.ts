/** User interface texts of the widget, which `texts/` has in each language. `{…}` marks placeholders. */
export type Texts = typeof import("./texts/en.json");

/** Normalizes a locale such as `de-AT` or `de_AT` for `Intl`. Returns `en` for invalid locales. */
export function localeOf(name: string): string {
  try {
    return new Intl.Locale(name.trim().replaceAll("_", "-")).toString();
  } catch {
    return "en";
  }
}

/** Languages of the widget, with the label of its launcher. */
const launcherLabels: Readonly<Record<string, string>> = {
  ar: "افتح الدردشة",
  de: "Chat öffnen",
  en: "Open chat",
  es: "Abrir el chat",
  fr: "Ouvrir le chat",
  he: "פתיחת הצ׳אט",
  it: "Apri la chat",
  ja: "チャットを開く",
  ko: "채팅 열기",
  nl: "Chat openen",
  pl: "Otwórz czat",
  pt: "Abrir o chat",
  ru: "Открыть чат",
  tr: "Sohbeti aç",
  zh: "打开聊天",
  "zh-hant": "開啟聊天",
};

export const widgetLanguages = Object.keys(launcherLabels);

/**
 * Returns the language of the texts for a locale such as `de-AT`; English for languages without texts. Taiwan, Hong Kong and
 * Macao write Chinese in traditional characters.
 */
export function languageOf(locale: string): string {
  const { language, script } = new Intl.Locale(locale).maximize();
  if (language === "zh" && script === "Hant") return "zh-hant";
  return language in launcherLabels ? language : "en";
}

export const launcherLabelOf = (language: string): string => launcherLabels[language] ?? "Open chat";

const rightToLeft = /^(ar|dv|fa|he|ks|ku|ps|sd|ug|ur|yi)(-|$)/i;

export function directionOf(locale: string): "ltr" | "rtl" {
  return rightToLeft.test(locale) ? "rtl" : "ltr";
}

/** Replaces each `{name}` of a text by its value; one without a value disappears. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** Formats a duration for a locale, in the largest fitting unit. */
export function duration(seconds: number, locale: string): string {
  const [amount, unit] =
    seconds < 90 ? [seconds, "second"] : seconds < 5_400 ? [seconds / 60, "minute"] : [seconds / 3_600, "hour"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(Math.ceil(amount));
}
