import { isSameText, type MemoryChange } from "../memory/memory-changes.ts";
import { addMemories, deleteProposal, newMemory, type StoredMemory } from "../memory/memory-store.ts";
import type { RunEvent } from "../runs/events.ts";
import type { Turn } from "./turn.ts";

/** Deletes a proposal, also from the proposals of this turn, because a newer one supersedes it. */
async function supersede({ principal, answer: { proposals } }: Turn, proposal: StoredMemory): Promise<void> {
  await deleteProposal(principal, proposal);
  const index = proposals.findIndex(({ memory_id }) => memory_id === proposal.id);
  if (index >= 0) proposals.splice(index, 1);
}

/**
 * Returns the active memory that an update would replace. If the target is itself only a proposal, returns what that
 * proposal would replace, if anything.
 */
const toReplaced = ({ id, text, status, replaces }: StoredMemory) =>
  status === "active" ? { memory_id: id, text } : replaces;

/**
 * Proposes changes of memories to the user. New texts are stored as proposed memories, which prompts do not contain
 * before the user accepts them. Deletions of active memories only become blocks of the answer. Proposals that the
 * change concerns are replaced or deleted without asking.
 * @param known memories and proposals of the user; equal texts are skipped
 * @param read_untrusted true if the model may have read untrusted text
 */
export async function proposeMemories(
  turn: Turn,
  changes: readonly MemoryChange[],
  known: readonly StoredMemory[],
  read_untrusted: boolean,
): Promise<RunEvent[]> {
  const { principal, question } = turn;
  const events: RunEvent[] = [];
  for (const change of changes) {
    if (change.op === "delete") {
      const { id: memory_id, text, status } = change.known;
      if (status === "active") turn.answer.extras.push({ type: "memory_deletion", memory_id, text });
      else await supersede(turn, change.known);
      continue;
    }
    const { text, category } = change;
    if ([...known, ...turn.answer.proposals].some((memory) => isSameText(memory.text, text))) continue;
    const replaces = change.op === "update" ? toReplaced(change.known) : undefined;
    const memory = newMemory(principal.userId, {
      text,
      category,
      scope: "user",
      scope_id: principal.userId,
      status: "proposed",
      source_message_id: question.message_id,
      read_untrusted,
      ...(replaces && { replaces }),
    });
    await addMemories(principal, [memory]);
    if (change.op === "update" && change.known.status === "proposed") await supersede(turn, change.known);
    const { id: memory_id, scope } = memory;
    const proposal = { memory_id, text, scope, category, read_untrusted, ...(replaces && { replaces }) };
    turn.answer.proposals.push(proposal);
    events.push({ type: "memory_proposal", data: proposal });
  }
  return events;
}
