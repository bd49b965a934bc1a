import * as v from "valibot";
import { MemoryCategory } from "../../api/memory/memories.ts";
import { proposeMemories } from "../propose-memories.ts";
import { defineTool, memoryDisabledReason } from "./tool.ts";

export const proposeMemory = defineTool({
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
    const events = await proposeMemories(turn, [fact], hasReadUntrusted);
    return { result: { proposed: events.length > 0 }, events };
  },
});
