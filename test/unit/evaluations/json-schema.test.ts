import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { findSchemaProblem, matchesSchema } from "#shared/evaluations/scoring/json-schema.ts";

const schemas: readonly Record<string, unknown>[] = [
  { type: "object", required: ["a"], properties: { a: { type: "integer", minimum: 1 } } },
  { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
  { additionalProperties: { type: "number" } },
  { type: "array", items: { enum: [1, "x", null] }, minItems: 1, maxItems: 2 },
  { type: ["string", "null"], minLength: 2, maxLength: 3, pattern: "^[a-z]+$" },
  { anyOf: [{ type: "number", exclusiveMinimum: 0 }, { const: { a: [1] } }] },
  { allOf: [{ type: "number" }, { maximum: 5, exclusiveMaximum: 6 }] },
  { not: { type: "object" } },
  { type: "number" },
  {},
];

const values: readonly unknown[] = [
  ...[null, true, 0, 1, 1.5, 5, 6, -1, "", "x", "ab", "abcd", "😀😀", "AB", [], [1], [1, "x"], [1, 1, 1], [2], {}],
  ...[{ a: 1 }, { a: 0 }, { a: 1.5 }, { a: "x" }, { a: "x", b: 1 }, { b: 2 }, { a: [1] }],
];

it("JSON schema matches the values that Ajv matches", () => {
  const ajv = new Ajv2020({ strict: false });
  for (const schema of schemas) {
    expect(findSchemaProblem(schema)).toBe(null);
    const validate = ajv.compile(schema);
    const toLine = (isMatch: (value: unknown) => boolean) =>
      values.map((value) => `${JSON.stringify(value)} ${isMatch(value)}`);
    expect([schema, toLine((value) => matchesSchema(schema, value))]).toEqual([
      schema,
      toLine((value) => validate(value)),
    ]);
  }
});

it.each([
  [{ format: "email" }, "does not support the keyword format"],
  [{ properties: { a: { oneOf: [] } } }, "does not support the keyword oneOf"],
  [
    { pattern: "(?=a)" },
    "pattern must have the syntax of RE2: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
  ],
  [{ items: 1 }, "must be a JSON schema"],
  [{ minimum: "1" }, "minimum must be a number"],
  [{ anyOf: {} }, "anyOf must be a list"],
])("JSON schema %j is refused", (schema, problem) => {
  expect(findSchemaProblem(schema)).toBe(problem);
});
