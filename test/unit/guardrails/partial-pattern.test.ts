import { describe, expect, it } from "vitest";
import { toPartialSource } from "#shared/guardrails/partial-pattern.ts";
import { sensitivePatterns } from "#shared/guardrails/sensitive-data.ts";

describe("toPartialSource(), which makes a pattern match unfinished text", () => {
  it.each([
    ["ab+c", "(?:a|$)(?:b|$)+(?:c|$)"],
    ["[a-z]{2,4}(?!\\d)", "(?:[a-z]|$){2,4}(?!\\d)"],
    ["(?<=x)\\d(?:[ -]?\\d)*", "(?<=x)(?:\\d|$)(?:(?:[ -]|$)?(?:\\d|$))*"],
    ["a(?=b)c|\\p{L}(?=[)\\]])", "(?:a|$)(?=(?:b|$))(?:c|$)|(?:\\p{L}|$)(?:(?:[)\\]]|$))"],
  ])("converts the pattern %s", (source, partial) => {
    expect(toPartialSource(source)).toBe(partial);
  });

  it("rejects an unbalanced pattern", () => {
    expect(() => toPartialSource("[a-z")).toThrow("Unbalanced pattern");
  });

  it("converts all formats of sensitive data to patterns that do not match ordinary words", () => {
    for (const { partial, cue, isContact } of sensitivePatterns) {
      partial.lastIndex = 0;
      if (!cue && !isContact) expect("Hello there".replace(partial, ""), partial.source).toBe("Hello there");
    }
  });
});
