import { describe, expect, it } from "vitest";
import { mayUse, slugOf } from "#shared/personas/persona-rules.ts";

describe("mayUse for an anonymous caller", () => {
  it.each([
    ["private", false],
    ["team", false],
    ["org", false],
    ["public", true],
  ] as const)("returns for visibility %s: %s", (visibility, expected) => {
    expect(mayUse({ owner_id: "owner", visibility }, null)).toBe(expected);
  });
});

describe("slugOf", () => {
  it.each([
    ["Help Desk", "help-desk"],
    ["  Überblick & Co. ", "uberblick-co"],
    ["x".repeat(100), "x".repeat(63)],
    [`${"x".repeat(62)} y`, "x".repeat(62)],
    ["助手", "persona-426614174000"],
  ])("%j → %s", (name, slug) => {
    expect(slugOf({ id: "123e4567-e89b-12d3-a456-426614174000", name })).toBe(slug);
  });
});
