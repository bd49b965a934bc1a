const singleValues: ReadonlySet<string> = new Set(["id", "type", "index", "name"]);

/** Merges the delta of a field into its value: text is appended, lists are concatenated, objects are merged. */
export function mergeDelta(value: unknown, delta: unknown): unknown {
  if (typeof value === "string" && typeof delta === "string") return value + delta;
  if (Array.isArray(value) && Array.isArray(delta)) return [...value, ...delta];
  if (typeof value !== "object" || typeof delta !== "object" || !value || !delta) return delta ?? value;
  const merged: Record<string, unknown> = { ...value };
  for (const [name, part] of Object.entries(delta)) {
    merged[name] = singleValues.has(name) ? (part ?? merged[name]) : mergeDelta(merged[name], part);
  }
  return merged;
}
