import * as v from "valibot";
import { MemoryCategory } from "../../api/memory/memories.ts";
import { isAllowed } from "../../memory/extract-memorable-facts.ts";
import { toChange } from "../../memory/memory-changes.ts";
import { listProposedMemories } from "../../memory/memory-store.ts";
import { proposeMemories } from "../propose-memories.ts";
import { defineTool, memoryDisabledReason } from "./tool.ts";

export const proposeMemoryTool = defineTool({
  name: "propose_memory",
  title: "Proposing a memory",
  description:
    "Proposes a memory: one sentence with a lasting fact about the user or a preference of theirs. The user decides whether it is stored.",
  input: v.object({
    text: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500)),
    category: v.optional(MemoryCategory, "other"),
  }),
  async run(turn, fact, hasReadUntrusted) {
    if (!turn.canRemember) return { result: { proposed: false, reason: memoryDisabledReason } };
    if (!isAllowed(fact)) return { result: { proposed: false, reason: "This must not be remembered." } };
    const known = [...turn.memories, ...(await listProposedMemories(turn.principal))];
    const events = await proposeMemories(turn, [toChange(fact, known)], known, hasReadUntrusted);
    return { result: { proposed: events.length > 0 }, events };
  },
});
