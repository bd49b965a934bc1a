/** The beginning of a text: so many UTF-16 units of it at most, and no half of a character at its end. */
export function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
}
