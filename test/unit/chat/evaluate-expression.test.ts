import { expect, it } from "vitest";
import { evaluateExpression } from "#shared/chat/tools/evaluate-expression.ts";

it.each([
  ["2+2", 4],
  ["17 * 3", 51],
  ["1 - 2 - 3", -4],
  ["7 % 4 / 2", 1.5],
  ["2^3^2", 512],
  ["-2^2", -4],
  ["(-2)^2", 4],
  ["2^-1", 0.5],
  ["--3", 3],
  ["0.1 + 0.2", 0.3],
  ["1.5e3", 1_500],
  ["max(1, 2 + 3, 4) + min(7, PI)", 8.14159265359],
  ["sqrt(16) + abs(-1) + round(2.5) + floor(1.9) + ceil(1.1)", 11],
  ["log(E) + exp(0) + sin(0) + cos(0) + tan(0)", 3],
  ["3 > 2 ? 10 : 20", 10],
  ["1 == 1", 1],
])("evaluateExpression() evaluates %s to %d", (expression, value) => {
  expect(evaluateExpression(expression)).toBe(value);
});

it.each([
  "",
  "2 +",
  "2 3",
  "x",
  "x = 1",
  "1; 2",
  "'text'",
  "this",
  "[1]",
  "constructor",
  "__proto__",
  "toString()",
  "(1).constructor",
  "sqrt.constructor('return process')()",
  "sqrt['constructor']",
  "globalThis.process.exit(1)",
  "1 / 0",
  "0 / 0",
  "1e400",
  `${"(".repeat(240)}1${")".repeat(240)}+${"-".repeat(200)}1`,
])('evaluateExpression() rejects the expression "%s"', (expression) => {
  expect(() => evaluateExpression(expression)).toThrow(expect.objectContaining({ code: "validation_failed" }));
});
