const singleValues: ReadonlySet<string> = new Set(["id", "type", "index", "name"]);

/**
 * Merges a delta into a field's value: appends text, concatenates lists, and merges objects recursively. In objects,
 * `id`, `type`, `index` and `name` are replaced instead of appended.
 */
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
