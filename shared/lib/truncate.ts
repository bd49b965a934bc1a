/** Truncates a text to at most `maxLength` UTF-16 code units without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
}
