/** Part of a persona's page. */
export type PersonaTab = "settings" | "versions" | "tests";

/**
 * Returns the address of a persona's page.
 * @param version version to show; by default, the one that everybody gets
 */
export function personaPath(id: string, version?: number, tab: PersonaTab = "settings"): string {
  const query = new URLSearchParams({
    ...(version !== undefined && { version: String(version) }),
    ...(tab !== "settings" && { tab }),
  });
  return `/console/assistants/personas/${id}${query.size > 0 ? `?${query}` : ""}`;
}
