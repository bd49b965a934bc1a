import { notFound, ServiceError } from "../lib/errors.ts";

/** Maximum length of a title that is derived from a message, in characters. */
const MAX_TITLE_LENGTH = 100;

/** Returns the first non-empty line of a message without Markdown syntax as a title. */
function toTitle(markdown: string): string {
  const line = markdown
    .split("\n")
    .map((text) => text.replace(/^[#>\s*+-]+|[*_`]+/g, "").trim())
    .find((text) => text !== "");
  if (!line) return "Untitled";
  const characters = [...line];
  return characters.length <= MAX_TITLE_LENGTH ? line : `${characters.slice(0, MAX_TITLE_LENGTH - 1).join("")}…`;
}

/**
 * Returns title and text of a document that is created from a message.
 * @param text text of the message in Markdown; undefined if the message does not exist
 * @param title title that the user chose; derived from the text if undefined
 * @throws ServiceError `not_found`; `conflict` if the message is still being generated or empty
 */
export function toPromotedDocument(
  status: "complete" | "streaming" | "interrupted" | "failed" | undefined,
  text: string | undefined,
  title: string | undefined,
): { readonly title: string; readonly text: string } {
  if (status === undefined || text === undefined) throw notFound();
  if (status === "streaming") throw new ServiceError("conflict", "The message is still being generated.");
  if (text.trim() === "") throw new ServiceError("conflict", "The message contains no text.");
  return { title: title ?? toTitle(text), text };
}
