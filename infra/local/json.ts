/** A JSON object whose members are yet to be looked at. Templates are read through these four, so no shape is taken on trust. */
export type Fields = Record<string, unknown>;

/** `value` as an object; anything else gives an empty one. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** `value` as a list; anything else gives an empty one. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `value` as text; anything but a string, number or boolean is undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/** `value` as a number (templates write numbers as text, too), or `otherwise`. */
export function number(value: unknown, otherwise: number): number {
  const parsed = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof parsed === "number" && Number.isFinite(parsed) ? parsed : otherwise;
}

/** Whether `value` is an object rather than null, a list or a scalar. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
