import { expect, it } from "vitest";
import { directionOf, duration, localeOf, textsFor } from "../../../functions/web/widget/texts.ts";

it.each([
  ["de-AT", "de-AT", "Chat öffnen", "ltr"],
  ["de_DE", "de-DE", "Chat öffnen", "ltr"],
  [" ja ", "ja", "チャットを開く", "ltr"],
  ["AR-eg", "ar-EG", "Open chat", "rtl"],
  ["C.UTF-8", "en", "Open chat", "ltr"],
  ["not a locale", "en", "Open chat", "ltr"],
  ["", "en", "Open chat", "ltr"],
])("widget resolves locale %j to %s", (name, locale, open, direction) => {
  expect(localeOf(name)).toBe(locale);
  expect(textsFor(localeOf(name)).open).toBe(open);
  expect(directionOf(localeOf(name))).toBe(direction);
  expect(duration(90, localeOf(name))).not.toBe("");
});
