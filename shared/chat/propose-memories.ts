import type { Memory } from "../api/memory/memories.ts";
import { addMemories, newMemory } from "../memory/memory-store.ts";
import type { RunEvent } from "../runs/events.ts";
import type { Turn } from "./turn.ts";

/** What two texts have in common when they say the same. */
const essence = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Whether this is remembered already, or was just proposed. */
function isKnown({ memories, proposals }: Turn, text: string): boolean {
  return [...memories, ...proposals].some((known) => essence(known.text) === essence(text));
}

/**
 * Proposes to remember facts about whoever asks: they are stored as proposals, which reach no prompt until their owner
 * accepts them. What is known already is not proposed again.
 */
export async function proposeMemories(
  turn: Turn,
  facts: readonly Pick<Memory, "text" | "category">[],
): Promise<RunEvent[]> {
  const { principal, question } = turn;
  const fresh = facts.filter(({ text }) => !isKnown(turn, text));
  const memories = fresh.map(({ text, category }) =>
    newMemory(principal.userId, {
      text,
      category,
      scope: "user",
      scope_id: principal.userId,
      status: "proposed",
      source_message_id: question.message_id,
    }),
  );
  await addMemories(principal, memories);
  return memories.map(({ id, text, scope, category }) => {
    const proposal = { memory_id: id, text, scope, category };
    turn.proposals.push(proposal);
    return { type: "memory_proposal", data: proposal };
  });
}
