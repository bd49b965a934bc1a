import { expect, it } from "vitest";
import {
  directionOf,
  duration,
  languageOf,
  launcherLabelOf,
  localeOf,
  type Texts,
  widgetLanguages,
} from "../../../functions/web/widget/texts.ts";

it.each([
  ["de-AT", "de-AT", "Chat öffnen", "ltr"],
  ["de_DE", "de-DE", "Chat öffnen", "ltr"],
  [" ja ", "ja", "チャットを開く", "ltr"],
  ["AR-eg", "ar-EG", "افتح الدردشة", "rtl"],
  ["zh-Hant-TW", "zh-Hant-TW", "開啟聊天", "ltr"],
  ["zh_TW", "zh-TW", "開啟聊天", "ltr"],
  ["zh-hk", "zh-HK", "開啟聊天", "ltr"],
  ["zh-Hant", "zh-Hant", "開啟聊天", "ltr"],
  ["zh-MO", "zh-MO", "開啟聊天", "ltr"],
  ["zh-Hans-HK", "zh-Hans-HK", "打开聊天", "ltr"],
  ["zh-SG", "zh-SG", "打开聊天", "ltr"],
  ["zh", "zh", "打开聊天", "ltr"],
  ["fi", "fi", "Open chat", "ltr"],
  ["C.UTF-8", "en", "Open chat", "ltr"],
  ["not a locale", "en", "Open chat", "ltr"],
  ["", "en", "Open chat", "ltr"],
])("website widget normalizes the locale %j to %s", (name, locale, open, direction) => {
  expect(localeOf(name)).toBe(locale);
  expect(launcherLabelOf(languageOf(localeOf(name)))).toBe(open);
  expect(directionOf(localeOf(name))).toBe(direction);
  expect(duration(90, localeOf(name))).not.toBe("");
});

/** Returns the texts of a language, with those of `errors` and `toolStates` at the top level. */
async function loadTexts(language: string): Promise<Record<string, string>> {
  const file = `../../../functions/web/widget/texts/${language}.json`;
  const { errors, toolStates, ...texts } = (await import(file, { with: { type: "json" } })).default as Texts;
  return { ...texts, ...errors, ...toolStates };
}

it("website widget has complete texts with the same placeholders in each language", async () => {
  expect(widgetLanguages).toHaveLength(16);
  const english = await loadTexts("en");
  const placeholdersOf = (text = "") => text.match(/\{\w+\}/g) ?? [];
  for (const language of widgetLanguages) {
    const texts = await loadTexts(language);
    expect([language, Object.keys(texts).sort()]).toEqual([language, Object.keys(english).sort()]);
    expect([language, texts.open]).toEqual([language, launcherLabelOf(language)]);
    for (const [name, text] of Object.entries(texts)) {
      expect([language, name, placeholdersOf(text)]).toEqual([language, name, placeholdersOf(english[name])]);
    }
  }
});
