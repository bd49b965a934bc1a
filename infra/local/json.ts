/** JSON object whose members are not validated. The functions below read its members without assuming their types. */
export type Fields = Record<string, unknown>;

/** Returns `value` if it is an object, else an empty object. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Returns `value` if it is an array, else an empty array. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Converts a string, number or boolean to a string; returns undefined for anything else. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/** Converts a number or numeric string (templates contain both) to a number; returns `fallback` for anything else. */
export function number(value: unknown, fallback: number): number {
  const parsed = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof parsed === "number" && Number.isFinite(parsed) ? parsed : fallback;
}

/** Checks that `value` is an object, not null, an array or a scalar. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
