/** Returns a description without the title that many tools repeat at its beginning. A sign of the number after it stays. */
export function withoutTitle(description: string, title: string): string {
  if (!description.startsWith(title)) return description;
  const rest = description.slice(title.length);
  const [separator] = /^(\s*[:.–-]+)?(\s+|$)/.exec(rest) ?? [];
  return separator === undefined ? description : rest.slice(separator.length);
}
