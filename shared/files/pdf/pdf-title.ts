import type { Line } from "./pdf-lines.ts";

/** Number of lines at the start of a document in which the words of its title are searched. */
const MAX_LINES = 200;
/** Minimum share of a title's words that must occur in these lines. */
const MIN_SHARE = 0.6;

const toWords = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]{2,}/gu) ?? [];

/** Matches file names and program names, which programs store as the title if the author sets none. */
const generatedTitle = /\.\w{2,5}$|[\\/]|^(?:microsoft \w+ - |untitled|document\s?\d|slide \d|unbenannt|sans titre)/i;

/**
 * Returns the title in the metadata of a document if most of its words occur at the start of the text; otherwise
 * undefined. Many declared titles are left over from a template or name a file.
 */
export function findTitle(declared: unknown, lines: readonly Line[]): string | undefined {
  if (typeof declared !== "string") return undefined;
  const title = declared.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  const words = toWords(title.slice(0, 1_000));
  if (title.length > 300 || generatedTitle.test(title) || !words.some((word) => /\p{L}{3}|\p{Lo}{2}/u.test(word))) {
    return undefined;
  }
  const start = new Set(
    toWords(
      lines
        .slice(0, MAX_LINES)
        .map(({ text }) => text)
        .join("\n"),
    ),
  );
  const found = words.filter((word) => start.has(word));
  return found.length >= MIN_SHARE * words.length ? title : undefined;
}
