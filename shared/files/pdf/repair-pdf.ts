/** Word that PDF.js mistakes for the start of an object table when it searches a damaged file for objects. */
const WORD = "xref";
/** Escaped form of `xref` for strings, in which PDF allows characters as octal numbers. */
const ESCAPED_WORD = "xre\\146";

const isWordCharacter = (character: string | undefined) => character !== undefined && /\w/.test(character);

/** Returns true if an object table starts at a position: the word is at the start of a line, and two numbers follow. */
const isTable = (text: string, position: number) =>
  /[\r\n]\s{0,4}$/.test(text.slice(Math.max(0, position - 4), position)) &&
  /^\s+\d+\s+\d+\s/.test(text.slice(position + WORD.length, position + 40));

/**
 * Escapes the word `xref` in the texts of a damaged PDF file, because PDF.js would skip the rest of the file after it
 * and find no pages. Null if no text contains it.
 */
export function escapeTableWords(file: Uint8Array): Uint8Array | null {
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString("latin1");
  const parts: string[] = [];
  let end = 0;
  for (let position = text.indexOf(WORD); position >= 0; position = text.indexOf(WORD, position + WORD.length)) {
    if (isWordCharacter(text[position - 1]) || isWordCharacter(text[position + WORD.length])) continue;
    if (isTable(text, position)) continue;
    parts.push(text.slice(end, position), ESCAPED_WORD);
    end = position + WORD.length;
  }
  return parts.length > 0 ? Buffer.from(parts.join("") + text.slice(end), "latin1") : null;
}
