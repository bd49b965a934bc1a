import jsep from "jsep";
import { ServiceError } from "../../lib/errors.ts";

/** Number of significant digits of a result. Further digits contain rounding errors of floating-point numbers. */
const RESULT_DIGITS = 12;

/** Maximum nesting depth of an expression, to prevent a stack overflow. */
const MAX_DEPTH = 100;

jsep.removeAllUnaryOps();
jsep.removeAllBinaryOps();
for (const operator of ["-", "+", "!"]) jsep.addUnaryOp(operator);
const precedences = { "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, ">": 4, "<=": 4, ">=": 4, "+": 5, "-": 5, "*": 6 };
for (const [operator, precedence] of Object.entries({ ...precedences, "/": 6, "%": 6 })) {
  jsep.addBinaryOp(operator, precedence);
}
jsep.addBinaryOp("^", 7, true);

/** Parses an operand with its optional exponent. The operator `^` is right-associative. */
function parsePower(parser: jsep.HookScope): jsep.Expression {
  const left = parser.gobbleToken();
  if (!left) throw new Error(`missing operand at character ${parser.index}`);
  parser.gobbleSpaces();
  if (parser.char !== "^") return left;
  parser.index++;
  parser.gobbleSpaces();
  return { type: "BinaryExpression", operator: "^", left, right: parsePower(parser) };
}

// jsep binds a sign tighter than every binary operator; in mathematics -2^2 is -4.
jsep.hooks.add("gobble-token", function (env) {
  const operator = this.char;
  if (operator !== "-" && operator !== "+") return;
  this.index++;
  this.gobbleSpaces();
  env.node = { type: "UnaryExpression", operator, prefix: true, argument: parsePower(this) };
});

const constants: ReadonlyMap<string, number> = new Map([
  ["PI", Math.PI],
  ["E", Math.E],
  ["true", 1],
  ["false", 0],
]);

const functions: ReadonlyMap<string, (...values: number[]) => number> = new Map(
  Object.entries({
    abs: Math.abs,
    acos: Math.acos,
    asin: Math.asin,
    atan: Math.atan,
    atan2: Math.atan2,
    cbrt: Math.cbrt,
    ceil: Math.ceil,
    cos: Math.cos,
    exp: Math.exp,
    floor: Math.floor,
    hypot: Math.hypot,
    ln: Math.log,
    log: Math.log,
    log10: Math.log10,
    log2: Math.log2,
    max: Math.max,
    min: Math.min,
    pow: Math.pow,
    round: Math.round,
    sign: Math.sign,
    sin: Math.sin,
    sqrt: Math.sqrt,
    tan: Math.tan,
    trunc: Math.trunc,
  }),
);

const binaryOperators: ReadonlyMap<string, (left: number, right: number) => number> = new Map([
  ["+", (left, right) => left + right],
  ["-", (left, right) => left - right],
  ["*", (left, right) => left * right],
  ["/", (left, right) => left / right],
  ["%", (left, right) => left % right],
  ["^", (left, right) => left ** right],
  ["==", (left, right) => Number(left === right)],
  ["!=", (left, right) => Number(left !== right)],
  ["<", (left, right) => Number(left < right)],
  [">", (left, right) => Number(left > right)],
  ["<=", (left, right) => Number(left <= right)],
  [">=", (left, right) => Number(left >= right)],
  ["&&", (left, right) => Number(left !== 0 && right !== 0)],
  ["||", (left, right) => Number(left !== 0 || right !== 0)],
]);

const unaryOperators: ReadonlyMap<string, (value: number) => number> = new Map([
  ["-", (value) => -value],
  ["+", (value) => value],
  ["!", (value) => Number(value === 0)],
]);

function evaluateNode(node: jsep.Expression, depth = 0): number {
  if (depth > MAX_DEPTH) throw new Error("the expression is nested too deeply");
  const evaluate = (child: unknown) => evaluateNode(child as jsep.Expression, depth + 1);
  switch (node.type) {
    case "Literal":
      if (typeof node.value !== "number") break;
      return node.value;
    case "Identifier": {
      const value = constants.get(String(node.name));
      if (value === undefined) throw new Error(`undefined variable: ${node.name}`);
      return value;
    }
    case "UnaryExpression": {
      const operator = unaryOperators.get(String(node.operator));
      if (!operator) break;
      return operator(evaluate(node.argument));
    }
    case "BinaryExpression": {
      const operator = binaryOperators.get(String(node.operator));
      if (!operator) break;
      return operator(evaluate(node.left), evaluate(node.right));
    }
    case "ConditionalExpression":
      return evaluate(node.test) === 0 ? evaluate(node.alternate) : evaluate(node.consequent);
    case "CallExpression": {
      const { type, name } = node.callee as jsep.Expression;
      const fn = type === "Identifier" ? functions.get(String(name)) : undefined;
      if (!fn) throw new Error(`unknown function${type === "Identifier" ? `: ${name}` : ""}`);
      return fn(...(node.arguments as jsep.Expression[]).map(evaluate));
    }
  }
  throw new Error("only numbers, operators and functions are allowed");
}

/**
 * Evaluates an arithmetic expression. jsep only builds the syntax tree; the evaluator knows a fixed set of operators,
 * constants and functions, so that an expression cannot run JavaScript.
 * @throws ServiceError `validation_failed` for an invalid expression or a result that is not finite
 */
export function evaluateExpression(expression: string): number {
  let value: number;
  try {
    value = evaluateNode(jsep(expression));
  } catch (error) {
    throw new ServiceError("validation_failed", `Invalid expression: ${(error as Error).message}`);
  }
  if (!Number.isFinite(value)) throw new ServiceError("validation_failed", "The result is not a finite number.");
  return Number(value.toPrecision(RESULT_DIGITS));
}
