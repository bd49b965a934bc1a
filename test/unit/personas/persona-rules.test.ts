import { expect, it } from "vitest";
import { canUsePersona, toSlug } from "#shared/personas/persona-rules.ts";

it.each([
  ["private", false],
  ["team", false],
  ["org", false],
  ["public", true],
] as const)(
  "canUsePersona() for an anonymous caller checks the persona's visibility: %s returns %s",
  (visibility, expected) => {
    expect(canUsePersona({ owner_id: "owner", visibility }, null)).toBe(expected);
  },
);

it.each([
  ["Help Desk", "help-desk"],
  ["  Überblick & Co. ", "uberblick-co"],
  ["x".repeat(100), "x".repeat(63)],
  [`${"x".repeat(62)} y`, "x".repeat(62)],
  ["助手", "persona-426614174000"],
])("toSlug() converts %j to %s", (name, slug) => {
  expect(toSlug({ id: "123e4567-e89b-12d3-a456-426614174000", name })).toBe(slug);
});
