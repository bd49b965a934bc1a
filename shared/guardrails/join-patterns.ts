/** Returns true if the source of a regular expression has alternatives outside of groups. */
function hasAlternatives(source: string): boolean {
  let outside = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, "");
  for (let before = ""; before !== outside; ) {
    before = outside;
    outside = outside.replace(/\([^()]*\)/g, "");
  }
  return outside.includes("|");
}

/**
 * Returns the character that each match starts with, at a word boundary, such as `g` for `\bghp_…`; undefined if it
 * cannot be determined.
 */
function firstCharacterOf(source: string): string | undefined {
  if (hasAlternatives(source) || source.includes("(?=")) return undefined;
  return /^\\b([A-Za-z])(?![*+?{])/.exec(source)?.[1];
}

/**
 * Joins sources of regular expressions with `|`. Sources that begin with the same character share its test, because an
 * expression tries all alternatives at each character of a text. This makes an expression of 280 formats a third
 * faster.
 * @param convert converts each joined source, such as `toPartialSource`
 */
export function joinSources(
  sources: readonly string[],
  convert: (source: string) => string = (source) => source,
): string {
  const groups = Map.groupBy(sources, firstCharacterOf);
  const others = groups.get(undefined) ?? [];
  groups.delete(undefined);
  const byCharacter = Array.from(groups, ([character, group]) => {
    const rests = group.map((source) => source.slice("\\bx".length));
    return `${character}(?:${rests.join("|")})`;
  });
  const joined = byCharacter.length > 0 ? [...others, `\\b(?:${byCharacter.join("|")})`] : others;
  return joined.map((source) => `(?:${convert(source)})`).join("|");
}
