import type { Memory } from "../api/memory/memories.ts";
import { addMemories, newMemory } from "../memory/memory-store.ts";
import type { RunEvent } from "../runs/events.ts";
import type { Turn } from "./turn.ts";

/** Returns the lower-case words of a text, so that texts can be compared regardless of case and punctuation. */
const normalizeText = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Returns true if a fact is already a memory or was proposed in this turn. */
function isKnown({ memories, proposals }: Turn, text: string): boolean {
  return [...memories, ...proposals].some((known) => normalizeText(known.text) === normalizeText(text));
}

/**
 * Stores new facts about the user as proposed memories, which are not used in prompts until the user accepts them. Skips
 * known facts.
 * @param read_untrusted true if the model had read text of others
 */
export async function proposeMemories(
  turn: Turn,
  facts: readonly Pick<Memory, "text" | "category">[],
  read_untrusted: boolean,
): Promise<RunEvent[]> {
  const { principal, question } = turn;
  const newFacts = facts.filter(({ text }) => !isKnown(turn, text));
  const memories = newFacts.map(({ text, category }) =>
    newMemory(principal.userId, {
      text,
      category,
      scope: "user",
      scope_id: principal.userId,
      status: "proposed",
      source_message_id: question.message_id,
      read_untrusted,
    }),
  );
  await addMemories(principal, memories);
  return memories.map(({ id, text, scope, category }) => {
    const proposal = { memory_id: id, text, scope, category, read_untrusted };
    turn.proposals.push(proposal);
    return { type: "memory_proposal", data: proposal };
  });
}
