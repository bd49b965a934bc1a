import { notFound, ServiceError } from "../lib/errors.ts";

/** Longest title that is made of a message. */
const longestTitle = 100;

/** A message's first line as plain as it can be had, shortened. */
function firstLine(markdown: string): string {
  const line = markdown
    .split("\n")
    .map((text) => text.replace(/^[#>\s*+-]+|[*_`]+/g, "").trim())
    .find((text) => text !== "");
  if (!line) return "Untitled";
  const characters = [...line];
  return characters.length <= longestTitle ? line : `${characters.slice(0, longestTitle - 1).join("")}…`;
}

/**
 * Title and text of the document that a message becomes.
 * @param text of the message, as Markdown; undefined where there is no such message
 * @throws ServiceError `not_found`; `conflict` while the message is being written, or where nothing is in it
 */
export function promotable(
  status: "complete" | "streaming" | "interrupted" | "failed" | undefined,
  text: string | undefined,
  title: string | undefined,
): { readonly title: string; readonly text: string } {
  if (status === undefined || text === undefined) throw notFound();
  if (status === "streaming") throw new ServiceError("conflict", "The message is still being written.");
  if (text.trim() === "") throw new ServiceError("conflict", "There is no text in the message.");
  return { title: title ?? firstLine(text), text };
}
