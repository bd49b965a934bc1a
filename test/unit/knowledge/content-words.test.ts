import { expect, it } from "vitest";
import { toContentWords } from "#shared/knowledge/search/content-words.ts";

it.each([
  ["Wann ist Ruhezeit?", "de", ["ruhezeit"]],
  ["Fasse die Hausordnung zusammen.", "de", ["hausordnung"]],
  ["Summarize the handbook", "en", ["handbook"]],
] as const)("words that name the subject leave out what asks for it: %s", (question, language, words) => {
  expect(toContentWords(question, language).map(({ word }) => word)).toEqual(words);
});
