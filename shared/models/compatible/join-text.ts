import type { ChatChunk } from "../chat-chunk.ts";

const textFields: ReadonlySet<string> = new Set(["content", "reasoning_content", "reasoning"]);

/** Returns the name of the field to which a chunk adds text; null if it contains anything else. */
function findTextField({ choices }: ChatChunk): string | null {
  const [choice] = choices;
  if (!choice || choices.length > 1) return null;
  for (const name in choice) if (name !== "index" && name !== "delta" && choice[name] !== null) return null;
  let field: string | null = null;
  for (const name in choice.delta) {
    if (field !== null || !textFields.has(name) || typeof choice.delta[name] !== "string") return null;
    field = name;
  }
  return field;
}

/**
 * Appends the text of a chunk to the chunk before it, if both only add text to the same field and all their other fields are
 * equal.
 * @returns false if the chunks differ in anything else; both are then unchanged
 */
export function joinText(previous: ChatChunk, chunk: ChatChunk): boolean {
  const field = findTextField(chunk);
  if (field === null || findTextField(previous) !== field) return false;
  for (const name in chunk) if (name !== "choices" && chunk[name] !== previous[name]) return false;
  const [target, added] = [previous.choices[0], chunk.choices[0]];
  if (!target || !added || target.index !== added.index) return false;
  (target.delta as Record<string, unknown>)[field] = `${target.delta[field]}${added.delta[field]}`;
  return true;
}
