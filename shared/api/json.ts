import * as v from "valibot";

/** Maximum nesting depth. DynamoDB allows 32 levels, some of which the surrounding item takes. */
const MAX_DEPTH = 20;

/** Checks that DynamoDB can store a JSON value: nesting depth and the range of its numbers. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return value === 0 || (Math.abs(value) < 1e125 && Math.abs(value) > 1e-125);
  if (typeof value !== "object" || value === null) return true;
  return depth < MAX_DEPTH && Object.values(value).every((child) => isStorable(child, depth + 1));
}

export const JsonObject = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check(
    (value) => isStorable(value),
    `must be nested at most ${MAX_DEPTH} levels deep, with numbers between 1e-125 and 1e125`,
  ),
);
