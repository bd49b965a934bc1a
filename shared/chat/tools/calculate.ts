import { Parser } from "expr-eval-fork";
import * as v from "valibot";
import { ServiceError } from "../../lib/errors.ts";
import { defineTool } from "./tool.ts";

const parser = new Parser({ operators: { assignment: false, fndef: false, concatenate: false, in: false } });

/** Digits that are worth showing: what binary fractions add beyond them is noise. */
const digits = 12;

/** @throws ServiceError for what is no expression, or has no finite value */
export function evaluate(expression: string): number {
  let value: unknown;
  try {
    value = parser.evaluate(expression);
  } catch (error) {
    throw new ServiceError("validation_failed", `This cannot be calculated: ${(error as Error).message}`);
  }
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new ServiceError("validation_failed", "This has no finite value.");
  }
  return Number(value.toPrecision(digits));
}

export const calculate = defineTool({
  name: "calculate",
  title: "Calculating",
  description:
    "Calculates an arithmetic expression exactly: + - * / % ^, parentheses, sqrt, abs, round, floor, ceil, min, max, log, exp, sin, cos, tan, PI, E. Use it for any sum that is not trivial.",
  input: v.object({ expression: v.pipe(v.string(), v.minLength(1), v.maxLength(500)) }),
  async run(_turn, { expression }) {
    return { result: { expression, value: evaluate(expression) } };
  },
});
