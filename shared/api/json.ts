import * as v from "valibot";

/** Levels of lists and objects in one another: DynamoDB takes 32, some of which are around it. */
const maxDepth = 20;

/** Whether JSON can be kept as it is: not too deep, and no number beyond what DynamoDB counts with. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return value === 0 || (Math.abs(value) < 1e125 && Math.abs(value) > 1e-125);
  if (typeof value !== "object" || value === null) return true;
  return depth < maxDepth && Object.values(value).every((each) => isStorable(each, depth + 1));
}

/** An object of any shape. */
export const JsonObject = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check(
    (given) => isStorable(given),
    `must be nested at most ${maxDepth} deep, with numbers that are not beyond 1e125`,
  ),
);
