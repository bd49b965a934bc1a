import * as v from "valibot";
import { evaluateExpression } from "./evaluate-expression.ts";
import { defineTool } from "./tool.ts";

export const calculateTool = defineTool({
  name: "calculate",
  title: "Calculating",
  description:
    "Calculates an arithmetic expression exactly: + - * / % ^, parentheses, sqrt, abs, round, floor, ceil, min, max, log, exp, sin, cos, tan, PI, E. Use it for every calculation that is not trivial.",
  input: v.object({ expression: v.pipe(v.string(), v.minLength(1), v.maxLength(500)) }),
  async run(_turn, { expression }) {
    return { result: { expression, value: evaluateExpression(expression) } };
  },
});
