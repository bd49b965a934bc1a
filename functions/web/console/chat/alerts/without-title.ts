/** Returns a description without the title, which many tools repeat in front of it. Keeps a minus sign in front of a number. */
export function withoutTitle(description: string, title: string): string {
  if (!description.startsWith(title)) return description;
  const rest = description.slice(title.length);
  const [separator] = /^(\s*[:.–-]+)?(\s+|$)/.exec(rest) ?? [];
  return separator === undefined ? description : rest.slice(separator.length);
}
