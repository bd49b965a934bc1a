import { expect, it } from "vitest";
import { toPartialSource } from "#shared/guardrails/partial-pattern.ts";
import { sensitivePatterns } from "#shared/guardrails/sensitive-data.ts";

it.each([
  ["ab+c", "a(?:b|$)+(?:c|$)"],
  ["[a-z]{2,4}(?!\\d)", "(?:[a-z]|$){2,4}(?!\\d)"],
  ["(?<=x)\\d(?:[ -]?\\d)*", "(?<=x)\\d(?:(?:[ -]|$)?(?:\\d|$))*"],
  ["a(?=b)c|\\p{L}(?=[)\\]])", "a(?=(?:b|$))(?:c|$)|\\p{L}(?:(?:[)\\]]|$))"],
  ["\\b(?:ab|c?d)\\b", "\\b(?:a(?:b|$)|(?:c|$)?(?:d|$))(?:\\b|$)"],
  ["(?:ab){2}c", "(?:(?:a|$)(?:b|$)){2}(?:c|$)"],
  ["(?:a|\\b)b", "(?:a|\\b)(?:b|$)"],
  ["(?=[a-z]{0,9}\\d)[a-z\\d]e", "(?=(?:[a-z]|$){0,9}(?:\\d|$))[a-z\\d](?:e|$)"],
])("toPartialSource(), which makes a pattern match unfinished text, converts the pattern %s", (source, partial) => {
  expect(toPartialSource(source)).toBe(partial);
});

it.each([
  ["\\b(?:ab|c?de{2})f", "cdeef"],
  ["(?<!\\d)(?:(?:25[0-5]|2[0-4]\\d)\\.){3}7(?!\\d)", "250.240.251.7"],
  ["(?=[a-z]{0,9}\\d)[a-z\\d]{3,5}-(?:x|yz)\\b", "ab1-yz"],
])(
  "toPartialSource(), which makes a pattern match unfinished text, matches every beginning of a match of %s",
  (source, match) => {
    const partial = new RegExp(`(?:${toPartialSource(source)})$`);
    for (let length = 1; length <= match.length; length++) {
      expect(partial.exec(match.slice(0, length))?.index, match.slice(0, length)).toBe(0);
    }
  },
);

it("toPartialSource(), which makes a pattern match unfinished text, rejects an unbalanced pattern", () => {
  expect(() => toPartialSource("[a-z")).toThrow("Unbalanced pattern");
});

it("toPartialSource(), which makes a pattern match unfinished text, converts all formats of sensitive data to patterns that do not match ordinary words", () => {
  for (const { pattern, cue, isContact } of sensitivePatterns) {
    const partial = new RegExp(`(?:${toPartialSource(pattern.source)})$`, pattern.flags);
    if (!cue && !isContact) expect("Hello there".replace(partial, ""), partial.source).toBe("Hello there");
  }
});
