import * as v from "valibot";
import { expect, it } from "vitest";
import { fieldErrors } from "#shared/lib/field-errors.ts";

const Contract = v.strictObject({
  tier: v.picklist(["QUICK", "THINKING"]),
  title: v.pipe(v.string(), v.minLength(2), v.maxLength(4, "must be short")),
  tags: v.pipe(v.array(v.string()), v.maxLength(1)),
  slug: v.pipe(v.string(), v.regex(/^[a-z]+$/)),
  text: v.union([v.string(), v.array(v.string())], "must be a text or a list of texts"),
  any: v.union([v.string(), v.number()]),
  kind: v.variant("type", [v.object({ type: v.literal("a") }), v.object({ type: v.literal("b") })]),
});
const validInput = { tier: "QUICK", title: "abc", tags: [], slug: "x", text: "", any: 1, kind: { type: "a" } };

it.each([
  [{ tier: "FAST".repeat(1_000) }, "tier", "invalid_value", "must be QUICK or THINKING"],
  [{ tier: undefined }, "tier", "required", "is required"],
  [{ title: 7 }, "title", "invalid_type", "must be string"],
  [{ title: "a" }, "title", "too_short", "must have at least 2 characters"],
  [{ title: "abcde" }, "title", "too_long", "must be short"],
  [{ tags: ["a", "b"] }, "tags", "too_long", "must have at most 1 entries"],
  [{ tags: ["a", 1] }, "tags.1", "invalid_type", "must be string"],
  [{ slug: "X" }, "slug", "invalid_format", "has an invalid format"],
  [{ text: null }, "text", "invalid_type", "must be a text or a list of texts"],
  [{ any: null }, "any", "invalid_type", "must be string or number"],
  [{ kind: { type: "c" } }, "kind.type", "invalid_value", "must be a or b"],
  [{ other: 1 }, "other", "unknown_field", "is not a known field"],
])(
  "fieldErrors() returns path, code and message of an invalid field, but not its value: case %#",
  (change, path, code, message) => {
    const { issues } = v.safeParse(Contract, { ...validInput, ...change });
    const errors = fieldErrors(issues, "body", "action").filter((error) => error.path === `action.${path}`);
    expect(errors).toContainEqual({ path: `action.${path}`, location: "body", code, message });
  },
);
