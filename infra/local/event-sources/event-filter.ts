import { type Fields, fields, isFields, list } from "../json.ts";

/** Function that returns true if an event is delivered. */
export type EventFilter = (event: unknown) => boolean;

/**
 * Compiles the filter of an event source mapping. An event passes if any pattern matches, or if there are no patterns.
 * @param criteria `FilterCriteria` of the mapping
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export function eventFilter(criteria: unknown): EventFilter {
  const patterns = list(fields(criteria).Filters).map((filter) => fields(JSON.parse(String(fields(filter).Pattern))));
  return (event) => patterns.length === 0 || patterns.some((pattern) => matchesEventPattern(pattern, event));
}

/** Returns true if an event matches an EventBridge event pattern. Filters of event source mappings use the same syntax. */
export function matchesEventPattern(pattern: Fields, event: unknown): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    if (key === "$or") return list(expected).some((each) => matchesEventPattern(fields(each), event));
    const value = fields(event)[key];
    if (Array.isArray(expected)) return expected.some((matcher) => matchesValue(matcher, value));
    return isFields(value) && matchesEventPattern(fields(expected), value);
  });
}

/** Returns true if a value matches. A list matches if any of its items does. */
function matchesValue(matcher: unknown, value: unknown): boolean {
  if (isFields(matcher) && "exists" in matcher) return (value !== undefined) === matcher.exists;
  if (Array.isArray(value)) return value.some((item) => matchesValue(matcher, item));
  if (!isFields(matcher)) return matcher === value;
  const [operator = "", operand] = Object.entries(matcher)[0] ?? [];
  return operators[operator]?.(operand, value) ?? false;
}

const operators: Record<string, (operand: unknown, value: unknown) => boolean> = {
  prefix: (operand, value) => typeof value === "string" && value.startsWith(String(operand)),
  suffix: (operand, value) => typeof value === "string" && value.endsWith(String(operand)),
  "equals-ignore-case": (operand, value) =>
    typeof value === "string" && value.toLowerCase() === String(operand).toLowerCase(),
  "anything-but": (operand, value) =>
    value !== undefined && ![operand].flat().some((excluded) => matchesValue(excluded, value)),
  numeric: (operand, value) => {
    const conditions = list(operand);
    // DynamoDB images contain numbers as strings.
    const subject = typeof value === "string" ? Number.parseFloat(value) : value;
    if (typeof subject !== "number" || Number.isNaN(subject)) return false;
    return conditions.every(
      (condition, index) => index % 2 === 1 || satisfies(subject, condition, conditions[index + 1]),
    );
  },
};

function satisfies(value: number, comparison: unknown, operand: unknown): boolean {
  const bound = Number(operand);
  switch (comparison) {
    case "=":
      return value === bound;
    case "<":
      return value < bound;
    case "<=":
      return value <= bound;
    case ">":
      return value > bound;
    case ">=":
      return value >= bound;
    default:
      return false;
  }
}
